// Package failuretest makes a tenant's network once, whatever becomes of the answer.
package failuretest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

type Network struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// A Neutron is a client of OpenStack's network service.
type Neutron struct {
	URL   string
	Token string
}

var client = &http.Client{Timeout: 5 * time.Second}

// call returns the status, and an error when no answer came.
func (n Neutron) call(method, path string, body, into any) (int, error) {
	sent, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequest(method, n.URL+path, bytes.NewReader(sent))
	if err != nil {
		return 0, err
	}
	request.Header.Set("X-Auth-Token", n.Token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 400 {
		return answer.StatusCode, nil
	}
	return answer.StatusCode, json.NewDecoder(answer.Body).Decode(into)
}

func (n Neutron) FindNetworks(name string) ([]Network, error) {
	var found struct{ Networks []Network }
	status, err := n.call("GET", "/networks?name="+url.QueryEscape(name), nil, &found)
	if err == nil && status >= 400 {
		err = fmt.Errorf("networks cannot be listed: %d", status)
	}
	return found.Networks, err
}

// EnsureNetwork looks before each try for what an earlier one has made, because Neutron allows two networks of one name.
func (n Neutron) EnsureNetwork(name string) (Network, error) {
	var last error
	for try := 0; try < 3; try++ {
		found, err := n.FindNetworks(name)
		if err != nil {
			last = err
			continue
		}
		if len(found) > 0 {
			return found[0], nil
		}
		var made struct{ Network Network }
		body := map[string]any{"network": map[string]string{"name": name}}
		status, err := n.call("POST", "/networks", body, &made)
		switch {
		case err != nil: // no answer: nobody knows whether the network was made
			last = err
		case status >= 500:
			last = fmt.Errorf("the network cannot be made: %d", status)
		case status >= 400:
			return Network{}, fmt.Errorf("the network is refused: %d", status)
		default:
			return made.Network, nil
		}
	}
	return Network{}, last
}
