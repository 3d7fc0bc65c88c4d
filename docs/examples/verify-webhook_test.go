package main

import (
	"net/http"
	"testing"
	"time"
)

// The test vector of docs/how-to/verify-webhooks.md.
const (
	vectorSecret    = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	vectorID        = "evt_example_example_example"
	vectorTimestamp = "1767225600"
	vectorBody      = `{"id":"evt_example_example_example","type":"person.updated","api_version":"v1","occurred_at":"2026-01-01T00:00:00.000Z","data":{"id":"1d4h14kj7caw","resource_type":"person"}}`
	vectorSignature = "v1=5225ac41e4d774487b621603a092e0f838fe305ace0073d00c8b4b33810e78c4,v1=ae4c560143e44f74aa2d96a4804d74cc7173bcae799b5c251f2822f831d41bb8"
)

func vectorHeaders() http.Header {
	headers := http.Header{}
	headers.Set("Service-Webhook-Id", vectorID)
	headers.Set("Service-Webhook-Timestamp", vectorTimestamp)
	headers.Set("Service-Webhook-Signature", vectorSignature)
	return headers
}

func TestVector(t *testing.T) {
	signedAt := time.Unix(1767225600, 0)
	if id, err := VerifyWebhook(vectorHeaders(), []byte(vectorBody), vectorSecret, signedAt.Add(5*time.Minute)); id != vectorID || err != nil {
		t.Fatal(id, err)
	}
	if _, err := VerifyWebhook(vectorHeaders(), []byte(vectorBody), vectorSecret, signedAt.Add(5*time.Minute+time.Second)); err == nil {
		t.Fatal("an old delivery was taken")
	}
	if _, err := VerifyWebhook(vectorHeaders(), []byte(vectorBody+" "), vectorSecret, signedAt); err == nil {
		t.Fatal("another body was taken")
	}
	if _, err := VerifyWebhook(vectorHeaders(), []byte(vectorBody), vectorSecret+"x", signedAt); err == nil {
		t.Fatal("another secret was taken")
	}
}
