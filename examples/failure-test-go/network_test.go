// CLOUD_URL=http://127.0.0.1:8090 go test -count=1 ./...

package failuretest

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
)

const login = `{"auth": {
  "identity": {"methods": ["password"], "password": {"user":
    {"name": "portico", "domain": {"id": "default"}, "password": "control-password"}}},
  "scope": {"project": {"name": "admin", "domain": {"id": "default"}}}}}`

func cloud(t *testing.T, method, path, body string) *http.Response {
	t.Helper()
	base := os.Getenv("CLOUD_URL")
	if base == "" {
		base = "http://127.0.0.1:8090"
	}
	request, err := http.NewRequest(method, base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode >= 400 {
		t.Fatalf("%s %s: %s", method, path, answer.Status)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

func TestNetworkIsMadeOnce(t *testing.T) {
	tests := map[string]struct {
		fault     string
		creations int
	}{
		"refused before the effect":              {`"when": "before", "as": {"status": 503}`, 2},
		"the answer is lost after the effect":    {`"when": "after", "as": "reset"`, 1},
		"the answer is a failure after the work": {`"when": "after", "as": {"status": 504}`, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"/cloud/state", "/cloud/faults", "/cloud/calls"} {
				cloud(t, "DELETE", path, "")
			}
			token := cloud(t, "POST", "/identity/v3/auth/tokens", login)
			neutron := Neutron{
				URL:   token.Request.URL.Scheme + "://" + token.Request.URL.Host + "/network/v2.0",
				Token: token.Header.Get("X-Subject-Token"),
			}
			cloud(t, "POST", "/cloud/faults", `{"service": "neutron", "method": "POST", "path": "/v2.0/networks", `+test.fault+`}`)

			if _, err := neutron.EnsureNetwork("web"); err != nil {
				t.Fatal(err)
			}

			found, err := neutron.FindNetworks("web")
			if err != nil || len(found) != 1 {
				t.Errorf("%d networks, want one: %v", len(found), err)
			}
			var calls []struct{ Service, Method string }
			if err := json.NewDecoder(cloud(t, "GET", "/cloud/calls", "").Body).Decode(&calls); err != nil {
				t.Fatal(err)
			}
			creations := 0
			for _, call := range calls {
				if call.Service == "neutron" && call.Method == "POST" {
					creations++
				}
			}
			if creations != test.creations {
				t.Errorf("%d creations, want %d", creations, test.creations)
			}
		})
	}
}
