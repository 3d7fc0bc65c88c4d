{{- /* Only functions of Go's own templates, so that scripts/write-kubernetes-manifests.mjs renders them too. */ -}}
{{- define "workforce.labels" -}}
{ app.kubernetes.io/name: workforce-hr, app.kubernetes.io/instance: {{ .Release.Name }}, app.kubernetes.io/version: {{ printf "%q" .Chart.AppVersion }}, app.kubernetes.io/managed-by: {{ .Release.Service }} }
{{- end -}}
{{- define "workforce.selector" -}}
app.kubernetes.io/name: workforce-hr, app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
{{- define "workforce.image" -}}
{{ printf "%s:%s" .Values.image.repository .Chart.AppVersion | printf "%q" }}
{{- end -}}
{{- define "workforce.pod-security" -}}
{ runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000, seccompProfile: { type: RuntimeDefault } }
{{- end -}}
{{- define "workforce.container-security" -}}
{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: [ALL] } }
{{- end -}}
{{- define "workforce.resources" -}}
{ requests: { cpu: {{ printf "%q" .cpu.request }}, memory: {{ .memory.request }} }, limits: { cpu: {{ printf "%q" .cpu.limit }}, memory: {{ .memory.limit }} } }
{{- end -}}
{{- define "workforce.secret-files" -}}
{ name: DATABASE_URL_FILE, value: /run/secrets/workforce/database_url }, { name: OPS_TOKEN_FILE, value: /run/secrets/workforce/ops_token }, { name: MASTER_KEY_FILE, value: /run/secrets/workforce/master_key }
{{- if .Values.secret.redis }}, { name: REDIS_URL_FILE, value: /run/secrets/workforce/redis_url }{{ end }}
{{- if .Values.secret.eventstore }}, { name: EVENTSTORE_URL_FILE, value: /run/secrets/workforce/eventstore_url }{{ end }}
{{- range .Values.secret.variables }}, { name: {{ . }}_FILE, value: /run/secrets/workforce/{{ . }} }{{ end }}
{{- end -}}
{{- define "workforce.mounts" -}}
{ name: secrets, mountPath: /run/secrets/workforce, readOnly: true }, { name: tmp, mountPath: /tmp }
{{- end -}}
{{- define "workforce.volumes" -}}
{ name: secrets, secret: { secretName: {{ .Values.secret.name }}, defaultMode: 288 } }, { name: tmp, emptyDir: { sizeLimit: 64Mi } }
{{- end -}}
{{- define "workforce.probes" }}
          # The program starts without its stores, and then reports that it is not ready.
          startupProbe: { httpGet: { path: /health/live, port: operations }, periodSeconds: 2, failureThreshold: 60 }
          livenessProbe: { httpGet: { path: /health/live, port: operations }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }
          readinessProbe: { httpGet: { path: /health/ready, port: operations }, periodSeconds: 3, timeoutSeconds: 5, failureThreshold: 2 }
{{- end -}}
