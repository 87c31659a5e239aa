#:sdk Microsoft.NET.Sdk.Web
// Checks that a page comes from the service. Nothing but .NET 10 or later.
//   SIGNING_SECRET=whsec_... dotnet run verify-signature.cs <webhook-id> <webhook-timestamp> <webhook-signature> < body
// Or receives the feed: keeps each page in a file of the folder pages, and answers only then.
//   SIGNING_SECRET=whsec_... PORT=9000 dotnet run verify-signature.cs
using System.IO.Compression;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

var secret = Environment.GetEnvironmentVariable("SIGNING_SECRET") ?? "";
if (args.Length == 0)
{
    var builder = WebApplication.CreateSlimBuilder();
    builder.Logging.SetMinimumLevel(LogLevel.Warning);
    builder.WebHost.ConfigureKestrel(kestrel => kestrel.AllowHostHeaderOverride = true); // a proxy may write the whole address
    var app = builder.Build();
    app.Urls.Add($"http://0.0.0.0:{Environment.GetEnvironmentVariable("PORT")}");
    app.Run(async context => context.Response.StatusCode = await Receive(context.Request));
    await app.StartAsync();
    Console.WriteLine($"listening on {new Uri(app.Urls.First()).Port}");
    await app.WaitForShutdownAsync();
    return 0;
}
if (args.Length != 3)
{
    Console.WriteLine("usage: dotnet run verify-signature.cs <webhook-id> <webhook-timestamp> <webhook-signature> < body");
    return 2;
}
var input = await Bytes(Console.OpenStandardInput());
var problem = Page.WhyNotGenuine(secret, args[0], args[1], args[2], input, DateTimeOffset.UtcNow);
Console.WriteLine(problem ?? "genuine");
return problem is null ? 0 : 1;

async Task<byte[]> Bytes(Stream stream)
{
    using var memory = new MemoryStream();
    await stream.CopyToAsync(memory);
    return memory.ToArray();
}

// The status for a request, once its page is kept. What fails, such as a disk that is full, is a 500: the page comes again.
async Task<int> Receive(HttpRequest request)
{
    if (request.Method is "GET" or "HEAD") return 200; // a proxy asks whether this is up
    if (request.Method != "POST" || request.Path != "/feed") return 404;
    string Header(string name) => request.Headers[name].ToString().Trim();
    var body = await Bytes(request.Body);
    var id = Header("webhook-id");
    var problem = Page.WhyNotGenuine(
        secret, id, Header("webhook-timestamp"), Header("webhook-signature"), body, DateTimeOffset.UtcNow);
    Console.WriteLine($"{problem ?? "genuine"} {Header("x-entity-type")} {id}");
    if (problem is not null) return 401;
    if (id.StartsWith("test_")) return 200; // the operator's test: the id is signed
    Stream page = new MemoryStream(body);
    if (Header("content-encoding").Contains("gzip", StringComparison.OrdinalIgnoreCase))
        page = new GZipStream(page, CompressionMode.Decompress);
    // A crash leaves the whole file or none; the same page again is the same file.
    var kept = Path.Combine(Directory.CreateDirectory("pages").FullName, id + ".json");
    var begun = $"{kept}.{Guid.NewGuid()}.new";
    using (var file = File.Create(begun))
    {
        await page.CopyToAsync(file);
        file.Flush(flushToDisk: true);
    }
    File.Move(begun, kept, overwrite: true);
    return 200;
}

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
