package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/remotecommand"
)

// Follows the block of docs/tenants/clients.md, which makes `config`, `clientset` and `namespace`.

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// next is what a channel tells next; nothing within the time of the story is a failure.
func next[T any](ctx context.Context, from <-chan T) T {
	select {
	case value := <-from:
		return value
	case <-ctx.Done():
		panic(ctx.Err())
	}
}

// refusal is the status and the message with which the API refuses.
func refusal(_ any, err error) []any {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return []any{fmt.Sprint(err)}
	}
	return []any{status.Status().Code, status.Status().Message}
}

func configMap(name, color string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"color": color}}
}

func podSpec() corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "nginx"}}}
}

// watched notes what a client asks of a collection, and with which status it is answered.
type watched struct {
	sync.Mutex
	calls []string
}

func (w *watched) wrap(next http.RoundTripper) http.RoundTripper { return noting{w, next} }

type noting struct {
	*watched
	next http.RoundTripper
}

func (n noting) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := n.next.RoundTrip(request)
	if err == nil {
		query, kind := request.URL.Query(), "list"
		switch {
		case query.Has("sendInitialEvents"):
			kind = "watch list"
		case query.Has("watch"):
			kind = "watch"
		}
		n.Lock()
		n.calls = append(n.calls, fmt.Sprint(kind, " ", answer.StatusCode))
		n.Unlock()
	}
	return answer, err
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
	defer cancel()
	told := map[string]any{}
	build, _ := debug.ReadBuildInfo()
	for _, module := range build.Deps {
		if module.Path == "k8s.io/client-go" {
			told["version"] = module.Version
		}
	}
	maps, deployments := clientset.CoreV1().ConfigMaps(namespace), clientset.AppsV1().Deployments(namespace)

	must(maps.Create(ctx, configMap("go", "green"), metav1.CreateOptions{}))
	patch := []byte(`{"data":{"color":"red"}}`)
	must(maps.Patch(ctx, "go", types.StrategicMergePatchType, patch, metav1.PatchOptions{}))
	told["patched"] = must(maps.Get(ctx, "go", metav1.GetOptions{})).Data
	applied := applycorev1.ConfigMap("go", namespace).WithData(map[string]string{"size": "8"})
	told["applied"] = must(maps.Apply(ctx, applied, metav1.ApplyOptions{FieldManager: "story"})).Data
	stale := configMap("go", "blue")
	stale.ResourceVersion = "1"
	_, err := maps.Update(ctx, stale, metav1.UpdateOptions{})
	told["conflict"] = apierrors.IsConflict(err)

	since := must(maps.List(ctx, metav1.ListOptions{})).ResourceVersion
	must(maps.Create(ctx, configMap("seen", "red"), metav1.CreateOptions{}))
	events := must(maps.Watch(ctx, metav1.ListOptions{ResourceVersion: since}))
	event := next(ctx, events.ResultChan())
	told["watched"] = []any{event.Type, event.Object.(*corev1.ConfigMap).Name}
	events.Stop()

	labels := map[string]string{"app": "go"}
	must(deployments.Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "go"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: podSpec()},
		},
	}, metav1.CreateOptions{}))
	scale := &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Name: "go", Namespace: namespace},
		Spec:       autoscalingv1.ScaleSpec{Replicas: 2},
	}
	must(deployments.UpdateScale(ctx, "go", scale, metav1.UpdateOptions{}))
	told["scaled"] = must(deployments.Get(ctx, "go", metav1.GetOptions{})).Spec.Replicas

	told["discovered"] = discovered()
	unstructured := dynamic.NewForConfigOrDie(config).Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"})
	told["dynamic"] = must(unstructured.Namespace(namespace).Get(ctx, "go", metav1.GetOptions{})).Object["data"]

	told["executed"], told["spdy"] = executed(ctx)
	told["informed"], told["calls"] = informed(ctx)
	told["led"] = led(ctx)

	told["everywhere"] = refusal(clientset.CoreV1().ConfigMaps("").List(ctx, metav1.ListOptions{}))
	told["nodes"] = refusal(clientset.CoreV1().Nodes().List(ctx, metav1.ListOptions{}))
	told["foreign"] = refusal(clientset.CoreV1().ConfigMaps(os.Getenv("FOREIGN")).Get(ctx, "go", metav1.GetOptions{}))
	reading := rest.CopyConfig(config)
	reading.BearerToken = os.Getenv("READER")
	reader := kubernetes.NewForConfigOrDie(reading).CoreV1().ConfigMaps(namespace)
	told["reader"] = refusal(reader.Create(ctx, configMap("x", "red"), metav1.CreateOptions{}))

	must(0, maps.Delete(ctx, "seen", metav1.DeleteOptions{}))
	left := []string{}
	for _, each := range must(maps.List(ctx, metav1.ListOptions{})).Items {
		left = append(left, each.Name)
	}
	told["left"] = left
	must(0, json.NewEncoder(os.Stdout).Encode(told))
}

// discovered has some of what the cluster says that it has.
func discovered() []string {
	_, lists, err := clientset.Discovery().ServerGroupsAndResources()
	must(lists, err)
	found := []string{}
	for _, list := range lists {
		for _, each := range list.APIResources {
			if slices.Contains([]string{"configmaps", "deployments/scale", "leases"}, each.Name) {
				found = append(found, list.GroupVersion+" "+each.Name)
			}
		}
	}
	// Out of one answer the groups come in any order.
	slices.Sort(found)
	return found
}

// executed runs a command over WebSocket, and over SPDY.
func executed(ctx context.Context) (string, string) {
	pods := clientset.CoreV1().Pods(namespace)
	must(pods.Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "go"}, Spec: podSpec()}, metav1.CreateOptions{}))
	must(0, wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		pod, err := pods.Get(ctx, "go", metav1.GetOptions{})
		return err == nil && pod.Status.Phase == corev1.PodRunning, err
	}))
	options := &corev1.PodExecOptions{Command: []string{"cat"}, Stdin: true, Stdout: true, Stderr: true}
	url := clientset.CoreV1().RESTClient().Post().Resource("pods").Namespace(namespace).Name("go").SubResource("exec").
		VersionedParams(options, scheme.ParameterCodec).URL()
	overWebSocket := must(remotecommand.NewWebSocketExecutor(config, http.MethodGet, url.String()))
	overSpdy := must(remotecommand.NewSPDYExecutor(config, http.MethodPost, url))
	run := func(executor remotecommand.Executor) string {
		var out, said bytes.Buffer
		streams := remotecommand.StreamOptions{Stdin: bytes.NewReader([]byte("hi")), Stdout: &out, Stderr: &said}
		if err := executor.StreamWithContext(ctx, streams); err != nil {
			return err.Error()
		}
		return out.String()
	}
	return run(overWebSocket), run(overSpdy)
}

// informed has what an informer is told, and what it asked for to know it.
func informed(ctx context.Context) ([]string, []string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	seen, noted := make(chan string, 100), &watched{}
	wrapped := rest.CopyConfig(config)
	wrapped.Wrap(noted.wrap)
	factory := informers.NewSharedInformerFactoryWithOptions(
		kubernetes.NewForConfigOrDie(wrapped), 0, informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.FieldSelector = "metadata.name!=kube-root-ca.crt" }),
	)
	informer := factory.Core().V1().ConfigMaps()
	name := func(object any) string { return object.(*corev1.ConfigMap).Name }
	must(informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { seen <- "added " + name(object) },
		UpdateFunc: func(_, object any) { seen <- "changed " + name(object) },
		DeleteFunc: func(object any) { seen <- "deleted " + name(object) },
	}))
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	told := []string{next(ctx, seen), next(ctx, seen)}
	slices.Sort(told)

	maps := clientset.CoreV1().ConfigMaps(namespace)
	must(maps.Create(ctx, configMap("later", "red"), metav1.CreateOptions{}))
	told = append(told, next(ctx, seen))
	must(maps.Update(ctx, configMap("later", "blue"), metav1.UpdateOptions{}))
	told = append(told, next(ctx, seen))
	must(0, maps.Delete(ctx, "later", metav1.DeleteOptions{}))
	told = append(told, next(ctx, seen))
	noted.Lock()
	defer noted.Unlock()
	return told, noted.calls
}

// led has who led, of two of whom one stops.
func led(ctx context.Context) []string {
	leading := make(chan string, 2)
	candidate := func(ctx context.Context, name string) {
		lock := &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "leader", Namespace: namespace},
			Client:     clientset.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name},
		}
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { leading <- name },
				OnStoppedLeading: func() {},
			},
		})
	}
	firstly, stop := context.WithCancel(ctx)
	go candidate(firstly, "first")
	names := []string{next(ctx, leading)}
	secondly, end := context.WithCancel(ctx)
	defer end()
	go candidate(secondly, "second")
	stop()
	return append(names, next(ctx, leading))
}
