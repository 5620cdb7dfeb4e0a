{{- define "portico.name" -}}
{{ if contains "portico" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-portico" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/*
For every template: `jobs` beside the usual values stands for the pods that run the background jobs apart. They have
another name, so that no selector of the serving ones, which cannot change, takes them in.
*/}}
{{- define "portico.selector" -}}
app.kubernetes.io/name: portico{{ if .jobs }}-jobs{{ end }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "portico.labels" -}}
{{ include "portico.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "portico.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "portico.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (include "portico.name" .) }}
{{- end }}

{{/* Settings that follow from other values. What the user sets comes before them. */}}
{{- define "portico.derived" -}}
{{- if .Values.networkPolicy.enabled }}
OPERATOR_HOST: 0.0.0.0
{{- end }}
{{- range $plane, $secret := .Values.tls }}
{{- if $secret }}
{{ upper $plane }}_TLS_CERT_FILE: /etc/portico/tls/{{ $plane }}/tls.crt
{{ upper $plane }}_TLS_KEY_FILE: /etc/portico/tls/{{ $plane }}/tls.key
{{- end }}
{{- end }}
{{- if not .Values.services.agent.enabled }}
AGENT_HOST: 127.0.0.1
{{- end }}
{{- if .Values.jobs.apart }}
BACKGROUND_JOBS: elsewhere
{{- end }}
{{- if .Values.cluster.enabled }}
KUBERNETES_URL: https://kubernetes.default.svc
KUBERNETES_TOKEN_FILE: /var/run/secrets/kubernetes.io/serviceaccount/token
KUBERNETES_CA_FILE: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt
{{- end }}
{{- end }}

{{/*
All settings by their names, as JSON in which each is a text. A template itself would write 1000000 as 1e+06; JSON does
not.
*/}}
{{- define "portico.settings" -}}
{{- $settings := include "portico.derived" . | fromYaml }}
{{- range $name, $value := .Values.settings }}
{{- $_ := set $settings $name (kindIs "string" $value | ternary $value (toJson $value)) }}
{{- end }}
{{- toJson $settings }}
{{- end }}

{{/* What the schema cannot tell, because two values have a part in it. */}}
{{- define "portico.checked" -}}
{{- with .Values.autoscaling }}
{{- if and .enabled (gt (int .minReplicas) (int .maxReplicas)) }}
{{- fail (printf "autoscaling.minReplicas (%d) is above autoscaling.maxReplicas (%d)" (int .minReplicas) (int .maxReplicas)) }}
{{- end }}
{{- end }}
{{- $grace := int .Values.terminationGracePeriodSeconds }}
{{- if gt (add (int .Values.preStopSeconds) 30) $grace }}
{{- fail (printf "terminationGracePeriodSeconds (%d) must be at least 30 above preStopSeconds (%d): a stop takes up to 30 seconds" $grace (int .Values.preStopSeconds)) }}
{{- end }}
{{- $files := .Values.files }}
{{- range $key := list "name" "mountPath" }}
{{- $seen := list }}
{{- range $files }}
{{- $value := get . $key }}
{{- if has $value $seen }}{{ fail (printf "files has the %s %s twice" $key $value) }}{{ end }}
{{- $seen = append $seen $value }}
{{- end }}
{{- end }}
{{- if and .Values.monitoring.enabled (not (hasKey (include "portico.settings" . | fromJson) "OPERATOR_HOST")) }}
{{- fail "monitoring.enabled needs networkPolicy.enabled, or OPERATOR_HOST among the settings: without them the operator plane stays on the loopback address of its pod, where Prometheus does not reach it" }}
{{- end }}
{{- end }}

{{/* One container's part that the gateway and the doctor share: the same settings, from the same place. */}}
{{- define "portico.container" -}}
image: {{ include "portico.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
envFrom:
  {{- range .Values.existingSecrets }}
  - secretRef: { name: {{ . | quote }} }
  {{- end }}
  # Last, so that it comes before the secrets.
  - configMapRef: { name: {{ include "portico.name" . | quote }} }
volumeMounts:
  {{- range $plane, $secret := .Values.tls }}
  {{- if $secret }}
  - { name: tls-{{ $plane }}, mountPath: /etc/portico/tls/{{ $plane }}, readOnly: true }
  {{- end }}
  {{- end }}
  {{- range .Values.files }}
  - { name: file-{{ .name }}, mountPath: {{ .mountPath | quote }}, readOnly: true }
  {{- end }}
  - { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "portico.volumes" -}}
{{- range $plane, $secret := .Values.tls }}
{{- if $secret }}
- name: tls-{{ $plane }}
  secret: { secretName: {{ $secret | quote }} }
{{- end }}
{{- end }}
{{- range .Values.files }}
- name: file-{{ .name }}
  {{- if .secret }}
  secret: { secretName: {{ .secret | quote }} }
  {{- else }}
  configMap: { name: {{ .configMap | quote }} }
  {{- end }}
{{- end }}
- name: tmp
  emptyDir: {}
{{- end }}

{{- define "portico.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "portico.doctor" -}}
- name: doctor
  command: [node, packages/gateway/src/doctor.ts]
  args: {{ .args | toJson }}
  {{- include "portico.container" .root | nindent 2 }}
  resources: {{- toYaml .root.Values.doctor.resources | nindent 4 }}
{{- end }}
