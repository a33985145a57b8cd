using System;
using System.Collections.Generic;

namespace Example.Keys
{
    /// <summary>Keeps keys.</summary>
    [Serializable]
    [Obsolete(
        "old")]
    public sealed class Store<TKey, TValue> : IDisposable where TKey : notnull
    {
        private readonly Dictionary<TKey, TValue> _values = new();

        public event EventHandler? Changed;

        public int Count { get; private set; }

        static Store() { }

        public Store(int limit) : base()
        {
            Count = limit;
        }

        ~Store() { }

        [Pure]
        public TValue this[TKey key] => _values[key];

        public async Task<T> Find<T>(TKey key) where T : class
        {
            int Local(int value)
            {
                return value;
            }
            return await Task.FromResult<T>(null!);
        }

        public void Dispose() => _values.Clear();

        void IDisposable.Dispose() { }

        public static Store<TKey, TValue> operator +(Store<TKey, TValue> left, TValue right) => left;

        public static explicit operator int(Store<TKey, TValue> store) => store.Count;

        public struct Entry
        {
            public TKey Key;

            public readonly override string ToString() => "größer";
        }

        public enum State { Active, Retired }
    }

    public interface IRotate<in T>
    {
        void Rotate(T key);

        int Times() => 1;
    }

    public record Pair(string First, string Second)
    {
        public string Joined() => First + Second;
    }

    public readonly record struct Point(int X, int Y);

    public delegate void Rotated(string name);

    namespace Inner
    {
        static class Extensions
        {
            public static bool Empty(this string text) => text.Length == 0;
        }
    }
}
