// Checks that a page comes from the service. Standard library only, Java 11 or later.
//   SIGNING_SECRET=whsec_... java verify-signature.java <webhook-id> <webhook-timestamp> <webhook-signature> < body

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class VerifySignature {
    static final long TOLERANCE_S = 5 * 60;

    /**
     * Why a page is not genuine and fresh, or null.
     *
     * @param body the bytes as they came: before anything parses, unpacks or reformats them
     */
    static String whyNotGenuine(
            String secret, String id, String timestamp, String signature, byte[] body, Instant now)
            throws GeneralSecurityException {
        // Anybody may send a request without the headers.
        if (timestamp == null || signature == null) return "webhook-timestamp or webhook-signature is missing";
        if (!timestamp.matches("[0-9]{1,12}")) return "webhook-timestamp is no number of seconds";
        byte[] key = {};
        try {
            key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
        } catch (IllegalArgumentException notBase64) {
            // refused below
        }
        // With an empty secret, anybody could sign.
        if (key.length < 24) return "the signing secret is missing or cut off";
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        mac.update(bytes(id + "." + timestamp + "."));
        String expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
        boolean fits = false;
        // While the secret is being changed there are two signatures: one that fits is enough.
        for (String one : signature.split(" ")) {
            // isEqual takes the same time wherever the first difference is.
            fits |= MessageDigest.isEqual(bytes(one), bytes(expected));
        }
        if (!fits) return "no signature fits";
        // An old page, signed by us, must not be played to you again by somebody else.
        if (Math.abs(now.getEpochSecond() - Long.parseLong(timestamp)) > TOLERANCE_S) {
            return "the signature fits, but webhook-timestamp is not of these 5 minutes";
        }
        return null;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 3) {
            System.out.println("usage: java verify-signature.java <webhook-id> <webhook-timestamp> <webhook-signature> < body");
            System.exit(2);
        }
        byte[] body = System.in.readAllBytes();
        String secret = System.getenv().getOrDefault("SIGNING_SECRET", "");
        String problem =
                whyNotGenuine(secret, arguments[0], arguments[1], arguments[2], body, Instant.now());
        System.out.println(problem == null ? "genuine" : problem);
        System.exit(problem == null ? 0 : 1);
    }
}
