// Checks that a page comes from the service. Standard library only, .NET 10 or later.
//   SIGNING_SECRET=whsec_... dotnet run verify-signature.cs <webhook-id> <webhook-timestamp> <webhook-signature> < body
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

if (args.Length != 3)
{
    Console.WriteLine("usage: dotnet run verify-signature.cs <webhook-id> <webhook-timestamp> <webhook-signature> < body");
    return 2;
}
byte[] body;
using (var memory = new MemoryStream())
{
    Console.OpenStandardInput().CopyTo(memory);
    body = memory.ToArray();
}
var secret = Environment.GetEnvironmentVariable("SIGNING_SECRET") ?? "";
var problem = Page.WhyNotGenuine(secret, args[0], args[1], args[2], body, DateTimeOffset.UtcNow);
Console.WriteLine(problem ?? "genuine");
return problem is null ? 0 : 1;

static class Page
{
    static readonly TimeSpan Tolerance = TimeSpan.FromMinutes(5);

    /// <summary>Why a page is not genuine and fresh, or null.</summary>
    /// <param name="body">the bytes as they came: before anything parses, unpacks or reformats them</param>
    public static string? WhyNotGenuine(
        string secret, string id, string? timestamp, string? signature, byte[] body, DateTimeOffset now)
    {
        // Anybody may send a request without the headers.
        if (timestamp is null || signature is null) return "webhook-timestamp or webhook-signature is missing";
        if (!Regex.IsMatch(timestamp, @"\A[0-9]{1,12}\z")) return "webhook-timestamp is no number of seconds";
        byte[] key = [];
        try { key = Convert.FromBase64String(secret.StartsWith("whsec_") ? secret[6..] : secret); }
        catch (FormatException) { /* refused in the next line */ }
        // With an empty secret, anybody could sign.
        if (key.Length < 24) return "the signing secret is missing or cut off";
        byte[] signed = [.. Encoding.UTF8.GetBytes($"{id}.{timestamp}."), .. body];
        var expected = Encoding.ASCII.GetBytes("v1," + Convert.ToBase64String(HMACSHA256.HashData(key, signed)));
        // While the secret is being changed there are two signatures: one that fits is enough.
        var fits = false;
        foreach (var one in signature.Split(' '))
            fits |= CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(one), expected);
        if (!fits) return "no signature fits";
        // An old page, signed by us, must not be played to you again by somebody else.
        if (Math.Abs(now.ToUnixTimeSeconds() - long.Parse(timestamp)) > Tolerance.TotalSeconds)
            return "the signature fits, but webhook-timestamp is not of these 5 minutes";
        return null;
    }
}
