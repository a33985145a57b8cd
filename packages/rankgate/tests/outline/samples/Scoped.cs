using System;

namespace Example.Scoped;

public class First
{
    public void Run() { }
}

internal static class Second
{
    internal static int Go() => 1;
}
