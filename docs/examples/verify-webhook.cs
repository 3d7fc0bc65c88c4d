// Verifies webhooks of Workforce HR. .NET 10 or newer, standard library only.
//
// As a receiver on 127.0.0.1 that prints every event once:
//
//     dotnet run verify-webhook.cs 8080 < file-with-the-secret
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

const int MaximumBytes = 65_536;
var secret = (Console.ReadLine() ?? "").Trim();
var port = int.Parse(args[0], CultureInfo.InvariantCulture);
if (port == 0)
{
    var free = new TcpListener(IPAddress.Loopback, 0);
    free.Start();
    port = ((IPEndPoint)free.LocalEndpoint).Port;
    free.Stop();
}
using var listener = new HttpListener();
listener.Prefixes.Add($"http://127.0.0.1:{port}/");
listener.Start();
Console.WriteLine($"listening on port {port}");
// Yours keeps the ids it has seen in a database, with a unique key, for at least 30 days.
var seen = new HashSet<string>();
while (true)
{
    var context = listener.GetContext();
    // 204 for genuine deliveries, 400 for all others.
    context.Response.StatusCode = Answer(context.Request);
    context.Response.Close();
}

int Answer(HttpListenerRequest request)
{
    if (request.ContentLength64 is < 0 or > MaximumBytes) return 400;
    var body = new byte[request.ContentLength64];
    request.InputStream.ReadExactly(body);
    try
    {
        var id = Webhooks.Verify(request.Headers.Get, body, secret, DateTimeOffset.UtcNow);
        if (seen.Add(id)) Console.WriteLine(Encoding.UTF8.GetString(body));
        return 204;
    }
    catch (NotGenuineException)
    {
        return 400;
    }
}

/// <summary>The delivery is not from the service, or is too old.</summary>
public sealed class NotGenuineException(string reason) : Exception(reason);

public static class Webhooks
{
    private const long ToleranceSeconds = 300;

    /// <summary>Returns the id of the event of a genuine delivery, and throws for anything else.</summary>
    /// <param name="header">returns the value of a header, whatever the case of its name, or null</param>
    /// <param name="body">the raw bytes as they came, before any parser saw them</param>
    /// <param name="secret">the whole text, "whsec_" and all</param>
    public static string Verify(Func<string, string?> header, byte[] body, string secret, DateTimeOffset now)
    {
        var id = header("Service-Webhook-Id");
        var timestamp = header("Service-Webhook-Timestamp");
        var signatures = header("Service-Webhook-Signature");
        if (string.IsNullOrEmpty(id) || string.IsNullOrEmpty(timestamp) || string.IsNullOrEmpty(signatures))
            throw new NotGenuineException("a header is missing");
        if (!long.TryParse(timestamp, NumberStyles.None, CultureInfo.InvariantCulture, out var seconds)
            || seconds > 999_999_999_999 || Math.Abs(now.ToUnixTimeMilliseconds() - seconds * 1000) > ToleranceSeconds * 1000)
            throw new NotGenuineException("the timestamp is too old or too new");
        byte[] signed = [.. Encoding.UTF8.GetBytes($"{timestamp}."), .. body];
        var digest = HMACSHA256.HashData(Encoding.UTF8.GetBytes(secret), signed);
        var expected = Encoding.UTF8.GetBytes($"v1={Convert.ToHexStringLower(digest)}");
        // Two in the 24 hours after the secret was rotated. One that matches is enough.
        var isSigned = signatures.Split(',').Any(
            signature => CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(signature.Trim()), expected));
        if (!isSigned) throw new NotGenuineException("no signature matches");
        // The signature covers the body, which names the event once more: the header alone could be another one's.
        using var json = JsonDocument.Parse(body);
        if (json.RootElement.GetProperty("id").GetString() != id)
            throw new NotGenuineException("the id is not that of the body");
        return id;
    }
}
