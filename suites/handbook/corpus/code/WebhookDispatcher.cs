using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Net;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Tallyhook.Dispatching;

/// <summary>One event on its way to one endpoint.</summary>
public sealed record Delivery(string EventId, Uri Url, string Body, IReadOnlyList<string> Secrets, int Attempt);

/// <summary>How an attempt ended.</summary>
public enum Outcome
{
    Delivered,
    Refused,
    TimedOut,
    Unreachable,
}

/// <summary>What is to be done after an attempt: nothing, another attempt after a wait, or giving up.</summary>
public readonly record struct Verdict(Outcome Outcome, TimeSpan? NextAttempt, bool DisableEndpoint)
{
    public bool GivenUp => Outcome != Outcome.Delivered && NextAttempt is null;
}

/// <summary>The waits between the eight attempts of a delivery.</summary>
public sealed class BackoffSchedule
{
    private static readonly TimeSpan[] Waits =
    {
        TimeSpan.FromSeconds(30),
        TimeSpan.FromMinutes(2),
        TimeSpan.FromMinutes(10),
        TimeSpan.FromHours(1),
        TimeSpan.FromHours(3),
        TimeSpan.FromHours(8),
        TimeSpan.FromHours(14),
    };

    private readonly Random _random;

    public BackoffSchedule(Random random) => _random = random;

    /// <summary>Gives the wait after a failed attempt, with up to a tenth added; null after the last.</summary>
    public TimeSpan? WaitAfter(int attempt)
    {
        if (attempt < 1 || attempt > Waits.Length)
        {
            return null;
        }
        var wait = Waits[attempt - 1];
        return wait + wait * (_random.NextDouble() / 10);
    }
}

/// <summary>Holds deliveries back from an endpoint that refuses everything.</summary>
public sealed class CircuitBreaker
{
    private const int Threshold = 20;
    private static readonly TimeSpan OpenFor = TimeSpan.FromMinutes(1);
    private readonly object _gate = new();
    private int _failures;
    private DateTimeOffset _probeAt = DateTimeOffset.MinValue;

    /// <summary>Tells whether a delivery may be sent now; while open, one a minute may, as a probe.</summary>
    public bool TryEnter(DateTimeOffset now)
    {
        lock (_gate)
        {
            if (_failures < Threshold)
            {
                return true;
            }
            if (now < _probeAt)
            {
                return false;
            }
            _probeAt = now + OpenFor;
            return true;
        }
    }

    public void RecordSuccess()
    {
        lock (_gate)
        {
            _failures = 0;
        }
    }

    public void RecordFailure(DateTimeOffset now)
    {
        lock (_gate)
        {
            if (++_failures == Threshold)
            {
                _probeAt = now + OpenFor;
            }
        }
    }
}

/// <summary>Signs events, posts them to endpoints, and says what comes next.</summary>
public sealed class WebhookDispatcher
{
    private static readonly TimeSpan AnswerWithin = TimeSpan.FromSeconds(10);
    private readonly ConcurrentDictionary<string, CircuitBreaker> _breakers = new();
    private readonly HttpClient _http;
    private readonly BackoffSchedule _backoff;

    public WebhookDispatcher(HttpClient http, BackoffSchedule backoff)
    {
        _http = http;
        _backoff = backoff;
    }

    /// <summary>Makes one attempt; null where the breaker holds it back, which uses up no attempt.</summary>
    public async Task<Verdict?> DeliverAsync(Delivery delivery, DateTimeOffset now, CancellationToken stop)
    {
        var breaker = _breakers.GetOrAdd(delivery.Url.Host, _ => new CircuitBreaker());
        if (!breaker.TryEnter(now))
        {
            return null;
        }
        var (outcome, status) = await PostAsync(delivery, now, stop);
        if (outcome == Outcome.Delivered)
        {
            breaker.RecordSuccess();
            return new Verdict(outcome, null, false);
        }
        breaker.RecordFailure(now);
        var gone = status == HttpStatusCode.Gone;
        return new Verdict(outcome, gone ? null : _backoff.WaitAfter(delivery.Attempt), gone);
    }

    /// <summary>Makes the signature header: the time, and one HMAC for each secret.</summary>
    public static string ComputeSignature(string body, IEnumerable<string> secrets, DateTimeOffset now)
    {
        var time = now.ToUnixTimeSeconds();
        var header = new StringBuilder($"t={time}");
        foreach (var secret in secrets)
        {
            using var hmac = new HMACSHA256(Encoding.UTF8.GetBytes(secret));
            var digest = hmac.ComputeHash(Encoding.UTF8.GetBytes($"{time}.{body}"));
            header.Append(",v1=").Append(Convert.ToHexString(digest).ToLowerInvariant());
        }
        return header.ToString();
    }

    private async Task<(Outcome, HttpStatusCode?)> PostAsync(Delivery delivery, DateTimeOffset now, CancellationToken stop)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(stop);
        limit.CancelAfter(AnswerWithin);
        using var request = new HttpRequestMessage(HttpMethod.Post, delivery.Url)
        {
            Content = new StringContent(delivery.Body, Encoding.UTF8, "application/json"),
        };
        request.Headers.Add("Tallyhook-Signature", ComputeSignature(delivery.Body, delivery.Secrets, now));
        try
        {
            using var answer = await _http.SendAsync(request, limit.Token);
            return (answer.IsSuccessStatusCode ? Outcome.Delivered : Outcome.Refused, answer.StatusCode);
        }
        catch (OperationCanceledException) when (!stop.IsCancellationRequested)
        {
            return (Outcome.TimedOut, null);
        }
        catch (HttpRequestException)
        {
            return (Outcome.Unreachable, null);
        }
    }
}
