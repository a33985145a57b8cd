# frozen_string_literal: true

require "set"

# Keeps keys.
module Keys
  LIMIT = 10

  class Error < StandardError; end

  class Store
    include Enumerable

    attr_reader :name

    def initialize(name)
      @name = name
    end

    def [](key) = @keys[key]

    def []=(key, value)
      @keys[key] = value
    end

    def ==(other)
      other.name == name
    end

    def empty?
      @keys.empty?
    end

    def name=(value)
      @name = value
    end

    def self.open(name)
      new(name)
    end

    class << self
      def create
        new("größer")
      end
    end

    private def hidden
      <<~TEXT
        def not_a_method
        end
      TEXT
    end

    class Entry
      def depth; 1; end
    end
  end

  def self.version
    "1"
  end

  def helper
    [1].each do |value|
      puts value
    end
  end
end

class Keys::Store::Late
  def run
  end
end

module Keys::Deep
  module Deeper
  end
end

def top(level)
  level
end
