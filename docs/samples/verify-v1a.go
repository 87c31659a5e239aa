// Checks that a page comes from the service by its public key (v1a): you keep no secret. Standard library only.
//
//	PUBLIC_KEY=whpk_... go run verify-v1a.go <webhook-id> <webhook-timestamp> <webhook-signature> < body
package main

import (
	"crypto/ed25519"
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
func verify(publicKey, id, timestamp, signature string, body []byte, now time.Time) error {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return errors.New("webhook-timestamp is no number of seconds")
	}

	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(publicKey, "whpk_"))
	if err != nil || len(key) != ed25519.PublicKeySize {
		return errors.New("the public key is missing")
	}
	signed := append([]byte(id+"."+timestamp+"."), body...)
	// While the keys are being changed there are two signatures: one that fits is enough.
	fits := false
	for _, one := range strings.Split(signature, " ") {
		text, isOurs := strings.CutPrefix(one, "v1a,")
		raw, err := base64.StdEncoding.DecodeString(text)
		if isOurs && err == nil && ed25519.Verify(key, signed, raw) {
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
		fmt.Println("usage: verify-v1a <webhook-id> <webhook-timestamp> <webhook-signature> < body")
		os.Exit(2)
	}
	publicKey := os.Getenv("PUBLIC_KEY")
	if err := verify(publicKey, os.Args[1], os.Args[2], os.Args[3], body, time.Now()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("genuine")
}
