// Checks that a page comes from the service. Standard library only.
//
//	SIGNING_SECRET=whsec_... go run verify-signature.go <webhook-id> <webhook-timestamp> <webhook-signature> < body
//
// Or receives the feed: keeps each page in a file of the folder pages, and answers only then.
//
//	SIGNING_SECRET=whsec_... PORT=9000 go run verify-signature.go
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
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

// keep writes a page durably. A crash leaves the whole file or none; the same page again is the same file.
func keep(id string, page io.Reader) error {
	if err := os.MkdirAll("pages", 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp("pages", "*.new")
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err = io.Copy(file, page); err == nil {
		err = file.Sync()
	}
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), filepath.Join("pages", id+".json"))
}

// receive is the status for a request, once its page is kept.
func receive(secret string, r *http.Request) int {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return http.StatusOK // a proxy asks whether this is up
	}
	if r.Method != http.MethodPost || r.URL.Path != "/feed" {
		return http.StatusNotFound
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 32<<20))
	if err != nil {
		return http.StatusBadRequest
	}
	id := r.Header.Get("webhook-id")
	err = verify(secret, id, r.Header.Get("webhook-timestamp"), r.Header.Get("webhook-signature"), body, time.Now())
	if err != nil {
		fmt.Println(err)
		return http.StatusUnauthorized
	}
	if strings.HasPrefix(id, "test_") {
		return http.StatusOK // the operator's test: the id is signed
	}
	page := io.Reader(bytes.NewReader(body))
	if strings.Contains(strings.ToLower(r.Header.Get("content-encoding")), "gzip") {
		if page, err = gzip.NewReader(page); err != nil {
			return http.StatusBadRequest
		}
	}
	if err = keep(id, page); err != nil { // a disk that is full: the page comes again
		fmt.Println(err)
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

func main() {
	secret := os.Getenv("SIGNING_SECRET")
	if len(os.Args) == 1 {
		listener, err := net.Listen("tcp", ":"+os.Getenv("PORT"))
		if err != nil {
			fmt.Println(err)
			os.Exit(2)
		}
		fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
		http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			status := receive(secret, r)
			fmt.Println(status, r.Header.Get("x-entity-type"), r.Header.Get("webhook-id"))
			w.WriteHeader(status)
		}))
	}
	body, err := io.ReadAll(os.Stdin)
	if err != nil || len(os.Args) != 4 {
		fmt.Println("usage: verify-signature <webhook-id> <webhook-timestamp> <webhook-signature> < body")
		os.Exit(2)
	}
	if err := verify(secret, os.Args[1], os.Args[2], os.Args[3], body, time.Now()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("genuine")
}
