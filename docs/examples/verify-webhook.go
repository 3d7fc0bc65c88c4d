// Verifies webhooks of Workforce HR. Go 1.19 or newer, standard library only.
//
// As a receiver on 127.0.0.1 that prints every event once:
//
//	go run verify-webhook.go 8080 < file-with-the-secret
package main

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance    = 5 * time.Minute
	maximumBytes = 65536
)

// VerifyWebhook returns the id of the event of a genuine delivery, and an error for anything else. body holds the raw bytes
// as they came, before any parser saw them; secret is the whole text, "whsec_" and all.
func VerifyWebhook(headers http.Header, body []byte, secret string, now time.Time) (string, error) {
	id := headers.Get("Service-Webhook-Id")
	timestamp := headers.Get("Service-Webhook-Timestamp")
	signatures := headers.Get("Service-Webhook-Signature")
	if id == "" || timestamp == "" || signatures == "" {
		return "", errors.New("a header is missing")
	}
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil || now.Sub(time.Unix(int64(seconds), 0)).Abs() > tolerance {
		return "", errors.New("the timestamp is too old or too new")
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	expected := []byte("v1=" + hex.EncodeToString(mac.Sum(nil)))
	// Two in the 24 hours after the secret was rotated. One that matches is enough.
	signed := false
	for _, signature := range strings.Split(signatures, ",") {
		if hmac.Equal([]byte(strings.TrimSpace(signature)), expected) {
			signed = true
		}
	}
	if !signed {
		return "", errors.New("no signature matches")
	}
	// The signature covers the body, which names the event once more: the header alone could be another one's.
	var event struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(body, &event); err != nil || event.ID != id {
		return "", errors.New("the id is not that of the body")
	}
	return id, nil
}

// receiver answers 204 to what is genuine and 400 to what is not. Yours keeps the ids it has seen in a database, with a
// unique key, for at least 30 days.
type receiver struct {
	secret string
	mutex  sync.Mutex
	seen   map[string]bool
}

func (r *receiver) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maximumBytes))
	if err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	id, err := VerifyWebhook(request.Header, body, r.secret, time.Now())
	if err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !r.seen[id] {
		r.seen[id] = true
		fmt.Println(string(body))
	}
	response.WriteHeader(http.StatusNoContent)
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run verify-webhook.go PORT < file-with-the-secret")
	}
	secret, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil && err != io.EOF {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on port", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, &receiver{secret: strings.TrimSpace(secret), seen: map[string]bool{}}))
}
