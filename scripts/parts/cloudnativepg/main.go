// What CloudNativePG makes of an object that is given to it: its webhooks' verdict, and what it hands to PostgreSQL,
// to Barman and to the API server.
//
// It reads a JSON value a line, and answers each with one. Fields that a line leaves out are not answered:
//
//	cluster    a Cluster: `refused` by the webhook, what it adds to PostgreSQL's configuration for `recovery`, and the
//	           `job` that recovers it
//	scheduled  a ScheduledBackup: `refused` by the webhook, and `next` after `now`
//	catalog    the output of barman-cloud-backup-list: `first`, as the Cluster's status has it; with `target`, a
//	           recovery target's time, the id of the `backup` to begin with
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/cloudnative-pg/barman-cloud/pkg/catalog"
	"github.com/robfig/cron"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/cloudnative-pg/cloudnative-pg/api/v1"
	webhook "github.com/cloudnative-pg/cloudnative-pg/internal/webhook/v1"
	"github.com/cloudnative-pg/cloudnative-pg/pkg/specs"
)

type question struct {
	Cluster   *v1.Cluster         `json:"cluster"`
	Scheduled *v1.ScheduledBackup `json:"scheduled"`
	Now       time.Time           `json:"now"`
	Catalog   json.RawMessage     `json:"catalog"`
	Target    string              `json:"target"`
}

type job struct {
	Name     string   `json:"name"`
	Hostname []string `json:"hostname"`
}

type answer struct {
	Refused  string     `json:"refused,omitempty"`
	Recovery string     `json:"recovery,omitempty"`
	Job      *job       `json:"job,omitempty"`
	Next     *time.Time `json:"next,omitempty"`
	First    string     `json:"first,omitempty"`
	Backup   string     `json:"backup,omitempty"`
}

func refusal(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func ofCluster(ctx context.Context, cluster *v1.Cluster) answer {
	cluster.Default()
	_, err := (&webhook.ClusterCustomValidator{}).ValidateCreate(ctx, cluster)
	answered := answer{Refused: refusal(err)}
	if bootstrap := cluster.Spec.Bootstrap; bootstrap != nil && bootstrap.Recovery != nil {
		answered.Recovery = bootstrap.Recovery.RecoveryTarget.BuildPostgresOptions()
		made := specs.CreatePrimaryJobViaRecovery(*cluster, 1, nil)
		// The API server's rule for the host name of a pod.
		answered.Job = &job{made.Name, validation.IsDNS1123Label(made.Spec.Template.Spec.Hostname)}
	}
	return answered
}

func ofScheduled(ctx context.Context, scheduled *v1.ScheduledBackup, now time.Time) answer {
	_, err := (&webhook.ScheduledBackupCustomValidator{}).ValidateCreate(ctx, scheduled)
	answered := answer{Refused: refusal(err)}
	if schedule, err := cron.Parse(scheduled.GetSchedule()); err == nil {
		next := schedule.Next(now.UTC())
		answered.Next = &next
	}
	return answered
}

func ofCatalog(text string, target string) (answer, error) {
	list, err := catalog.NewCatalogFromBarmanCloudBackupList(text)
	if err != nil {
		return answer{}, err
	}
	cluster := v1.Cluster{}
	cluster.UpdateBackupTimes(v1.BackupMethodBarmanObjectStore, list.FirstRecoverabilityPoint(), nil)
	answered := answer{First: cluster.Status.FirstRecoverabilityPoint} //nolint:staticcheck
	found, err := list.FindBackupInfo(&v1.RecoveryTarget{TargetTime: target})
	if found != nil {
		answered.Backup = found.ID
	}
	return answered, err
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		asked, answered, err := question{}, answer{}, error(nil)
		if err = json.Unmarshal(lines.Bytes(), &asked); err == nil {
			switch {
			case asked.Cluster != nil:
				answered = ofCluster(context.Background(), asked.Cluster)
			case asked.Scheduled != nil:
				answered = ofScheduled(context.Background(), asked.Scheduled, asked.Now)
			default:
				answered, err = ofCatalog(string(asked.Catalog), asked.Target)
			}
		}
		if err != nil {
			answered.Refused = err.Error()
		}
		if err := answers.Encode(answered); err != nil {
			os.Exit(1)
		}
	}
}
