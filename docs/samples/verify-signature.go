// Checks that a page comes from the service. Standard library only.
//
//	SIGNING_SECRET=whsec_... go run verify-signature.go <webhook-id> <webhook-timestamp> <webhook-signature> < body
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

// verify says why a page is not genuine and fresh, or nil. The body is the bytes as they came: before anything
// parses, unpacks or reformats them.
func verify(secret, id, timestamp, signature string, body []byte, now time.Time) error {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return errors.New("webhook-timestamp is no number of seconds")
	}

	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 {
		return errors.New("the signing secret is missing or cut off") // with an empty one, anybody could sign
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// While the secret is being changed there are two signatures: one that fits is enough.
	fits := false
	for _, one := range strings.Split(signature, " ") {
		if hmac.Equal([]byte(one), []byte(expected)) {
			fits = true
		}
	}
	if !fits {
		return errors.New("no signature fits")
	}
	// An old page, signed by us, must not be played to you again by somebody else.
	if now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return errors.New("the signature fits, but webhook-timestamp is not of these 5 minutes")
	}
	return nil
}

func main() {
	body, err := io.ReadAll(os.Stdin)
	if err != nil || len(os.Args) != 4 {
		fmt.Println("usage: verify-signature <webhook-id> <webhook-timestamp> <webhook-signature> < body")
		os.Exit(2)
	}
	secret := os.Getenv("SIGNING_SECRET")
	if err := verify(secret, os.Args[1], os.Args[2], os.Args[3], body, time.Now()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("genuine")
}
