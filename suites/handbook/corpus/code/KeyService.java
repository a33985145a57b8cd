package com.tallyhook.gateway;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Creates, checks, rotates and revokes API keys.
 *
 * <p>Only hashes of secrets are kept. A key has one secret, or two while it is being rotated.
 */
public final class KeyService {

    /** The longest time for which an old secret may live beside the new one. */
    public static final Duration MAX_OVERLAP = Duration.ofDays(7);

    private final Map<String, ApiKey> keys = new ConcurrentHashMap<>();
    private final SecureRandom random = new SecureRandom();
    private final Clock clock;

    public KeyService(Clock clock) {
        this.clock = clock;
    }

    /** What has become of a key. */
    public enum KeyState {
        ACTIVE,
        ROTATING,
        EXPIRED,
        REVOKED;

        /** Tells whether calls with a key in this state are let through. */
        public boolean usable() {
            return this == ACTIVE || this == ROTATING;
        }
    }

    /** A secret in the clear, shown to its owner once. */
    public record IssuedSecret(String keyId, String secret) {}

    /** What is stored of a key. */
    record ApiKey(
            String id,
            Set<String> scopes,
            String hash,
            String oldHash,
            Instant oldUntil,
            Instant expiresAt,
            boolean revoked) {

        KeyState stateAt(Instant now) {
            if (revoked) {
                return KeyState.REVOKED;
            }
            if (expiresAt != null && !now.isBefore(expiresAt)) {
                return KeyState.EXPIRED;
            }
            return oldUntil != null && now.isBefore(oldUntil) ? KeyState.ROTATING : KeyState.ACTIVE;
        }
    }

    /** Thrown where a key cannot be changed in the state it is in. */
    public static final class KeyConflictException extends RuntimeException {
        public KeyConflictException(String code) {
            super(code);
        }
    }

    /** Makes a key with some scopes; it lives for ever where no lifetime is given. */
    public IssuedSecret createKey(Set<String> scopes, Duration lifetime) {
        String id = randomHex(4);
        String secret = randomHex(12);
        Instant expiresAt = lifetime == null ? null : clock.instant().plus(lifetime);
        keys.put(id, new ApiKey(id, Set.copyOf(scopes), hash(secret), null, null, expiresAt, false));
        return new IssuedSecret(id, secret);
    }

    /**
     * Finds the scopes that a presented secret stands for.
     *
     * @return nothing if the key is unknown, expired or revoked, or if the secret is wrong
     */
    public Optional<Set<String>> authenticate(String id, String secret) {
        ApiKey key = keys.get(id);
        Instant now = clock.instant();
        if (key == null || !key.stateAt(now).usable()) {
            return Optional.empty();
        }
        String hash = hash(secret);
        boolean current = sameHash(key.hash(), hash);
        boolean old = key.stateAt(now) == KeyState.ROTATING && sameHash(key.oldHash(), hash);
        return current || old ? Optional.of(key.scopes()) : Optional.empty();
    }

    /** Gives a key a new secret, and lets the old one work until the overlap has passed. */
    public IssuedSecret rotateKey(String id, Duration overlap) {
        if (overlap.compareTo(MAX_OVERLAP) > 0) {
            throw new KeyConflictException("overlap_too_long");
        }
        String secret = randomHex(12);
        keys.compute(id, (ignored, key) -> {
            requireUsable(key);
            if (key.stateAt(clock.instant()) == KeyState.ROTATING) {
                throw new KeyConflictException("rotation_in_progress");
            }
            Instant until = clock.instant().plus(overlap);
            return new ApiKey(id, key.scopes(), hash(secret), key.hash(), until, key.expiresAt(), false);
        });
        return new IssuedSecret(id, secret);
    }

    /** Ends a key at once. A key that has ended already stays as it is. */
    public void revokeKey(String id) {
        keys.computeIfPresent(id, (ignored, key) ->
                new ApiKey(id, key.scopes(), key.hash(), null, null, key.expiresAt(), true));
    }

    private void requireUsable(ApiKey key) {
        if (key == null || !key.stateAt(clock.instant()).usable()) {
            throw new KeyConflictException("key_not_usable");
        }
    }

    private String randomHex(int bytes) {
        byte[] drawn = new byte[bytes];
        random.nextBytes(drawn);
        return HexFormat.of().formatHex(drawn);
    }

    private static boolean sameHash(String left, String right) {
        return MessageDigest.isEqual(
                left.getBytes(StandardCharsets.US_ASCII), right.getBytes(StandardCharsets.US_ASCII));
    }

    private static String hash(String secret) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(secret.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException(error);
        }
    }
}
