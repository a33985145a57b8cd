package com.example.keys;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Keeps keys and rotates them. */
@Deprecated
@SuppressWarnings({
    "unchecked",
})
public class KeyStore<K extends Comparable<K>, V> implements Iterable<V> {
    private static final int LIMIT = 10;
    private final List<Entry<K, V>> entries = new ArrayList<>();

    static {
        System.out.println("loaded");
    }

    public KeyStore() {
        this(LIMIT);
    }

    @SafeVarargs
    protected KeyStore(int limit, V... first) {
        for (V value : first) {
            put(null, value);
        }
    }

    public void put(K key, V value) {
        entries.add(new Entry<>(key, value));
    }

    @Override
    public java.util.Iterator<V> iterator() {
        // An anonymous class has no name, its methods have.
        return new java.util.Iterator<V>() {
            private int at = 0;

            @Override
            public boolean hasNext() {
                return at < entries.size();
            }

            @Override
            public V next() {
                return entries.get(at++).value();
            }
        };
    }

    public <T extends V> Optional<T> find(K key, Supplier<? extends T> otherwise) {
        class Finder {
            T look() {
                return otherwise.get();
            }
        }
        return Optional.ofNullable(new Finder().look());
    }

    /** One key with its value. */
    public record Entry<A, B>(A key, B value) {
        public Entry {
            if (value == null) {
                throw new IllegalArgumentException("größer");
            }
        }

        static <A, B> Entry<A, B> of(A key, B value) {
            return new Entry<>(key, value);
        }
    }

    public enum State {
        ACTIVE {
            @Override
            boolean usable() {
                return true;
            }
        },
        RETIRED;

        boolean usable() {
            return false;
        }
    }

    interface Listener<E> {
        void rotated(E event);

        default void failed(E event, Exception error) {
            rotated(event);
        }

        @interface Marked {
            String value() default "";

            int order() default 0;
        }
    }

    static final class Nested {
        class Deeper {
            int depth() { return 2; }
        }
    }
}

sealed interface Shape permits Circle {}

record Circle(double radius) implements Shape {}
