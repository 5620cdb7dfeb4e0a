// Package clients names what the stories of packages/gateway/test/clients import, so that it is compiled beforehand.
package clients

import (
	_ "k8s.io/client-go/dynamic"
	_ "k8s.io/client-go/informers"
	_ "k8s.io/client-go/kubernetes"
	_ "k8s.io/client-go/tools/leaderelection/resourcelock"
	_ "k8s.io/client-go/tools/remotecommand"
)
