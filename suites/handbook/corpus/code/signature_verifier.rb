# frozen_string_literal: true

require "json"
require "openssl"

module Tallyhook
  # A delivery that must not be trusted.
  class SignatureError < StandardError
    attr_reader :reason

    def initialize(reason)
      @reason = reason
      super("signature refused: #{reason}")
    end
  end

  # The parts of the header: a time and the signatures under it.
  class SignatureHeader
    PAIR = /\A(t|v1)=([0-9a-f]+)\z/

    attr_reader :timestamp, :signatures

    # Read a header such as "t=1767225600,v1=5f8c,v1=09ab".
    def self.parse(text)
      pairs = text.to_s.split(",").filter_map { |part| PAIR.match(part.strip)&.captures }
      times = pairs.filter_map { |name, value| Integer(value, 10, exception: false) if name == "t" }
      signatures = pairs.filter_map { |name, value| value if name == "v1" }
      raise SignatureError, :malformed_header if times.size != 1 || signatures.empty?

      new(times.first, signatures)
    end

    def initialize(timestamp, signatures)
      @timestamp = timestamp
      @signatures = signatures
    end

    # Tell whether the header is too old, or from a future that clocks do not explain.
    def outside?(tolerance, now)
      (now.to_i - timestamp).abs > tolerance
    end
  end

  # Verifies that a delivery came from Tallyhook, is fresh, and was not seen before.
  class SignatureVerifier
    DEFAULT_TOLERANCE = 300

    # @param secrets [Array<String>] the secrets of the endpoint: one, or two while it is rotated
    # @param tolerance [Integer] how many seconds the clocks may differ
    # @param seen [#add?] a set of event ids that were handled, to tell repeats
    def initialize(secrets, tolerance: DEFAULT_TOLERANCE, seen: nil)
      raise ArgumentError, "a secret is needed" if secrets.empty?

      @secrets = secrets
      @tolerance = tolerance
      @seen = seen
    end

    # Give the event of a delivery, or raise.
    #
    # @raise [SignatureError] for a header that is malformed or stale, a wrong signature, or a repeat
    def verify!(header, body, now: Time.now)
      parsed = SignatureHeader.parse(header)
      raise SignatureError, :stale_timestamp if parsed.outside?(@tolerance, now)
      raise SignatureError, :wrong_signature unless signed?(parsed, body)

      event = JSON.parse(body)
      raise SignatureError, :replayed if repeated?(event)

      event
    end

    # Tell whether a delivery is good, without saying why not.
    def valid?(header, body, now: Time.now)
      verify!(header, body, now: now)
      true
    rescue SignatureError, JSON::ParserError
      false
    end

    private

    def signed?(parsed, body)
      expected = @secrets.map { |secret| digest(secret, parsed.timestamp, body) }
      # All pairs are compared, so that the time taken tells nothing.
      expected.product(parsed.signatures).map { |left, right| secure_compare(left, right) }.any?
    end

    def digest(secret, timestamp, body)
      OpenSSL::HMAC.hexdigest("SHA256", secret, "#{timestamp}.#{body}")
    end

    def secure_compare(left, right)
      return false unless left.bytesize == right.bytesize

      OpenSSL.fixed_length_secure_compare(left, right)
    end

    def repeated?(event)
      return false if @seen.nil?

      @seen.add?(event.fetch("event_id")).nil?
    end
  end

  # Middleware for Rack: refuses deliveries that cannot be verified, and passes the event on.
  class RackWebhooks
    ENV_KEY = "tallyhook.event"

    def initialize(app, verifier)
      @app = app
      @verifier = verifier
    end

    def call(env)
      body = env.fetch("rack.input").read
      env[ENV_KEY] = @verifier.verify!(env["HTTP_TALLYHOOK_SIGNATURE"], body)
      @app.call(env)
    rescue SignatureError => e
      # A repeat was handled before; anything but 200 would have it sent again.
      e.reason == :replayed ? [200, {}, []] : [400, {}, ["#{e.reason}\n"]]
    end
  end
end
