# Sets the variables that the documents use, from the file that `npm start` writes.
# Source it in a POSIX shell at the top of the repository: `. scripts/demo.sh`

# Reads JSON from standard input and prints one field of it: `field credential.client_id`, `field '[0].id'`
field() {
  node -e '
    const answer = fs.readFileSync(0, "utf8")
    let value
    try {
      value = JSON.parse(answer)'"$(case $1 in [[]*) ;; *) echo . ;; esac)$1"'
    } catch {}
    if (value === undefined) {
      console.error(`there is no ${process.argv[1]} in: ${answer.trim()}`)
      process.exitCode = 1
    } else console.log(value)
  ' -- "$1"
}

if [ ! -r "${PORTICO_DATA_DIR:-.portico}/dev.json" ]; then
  echo "There is no ${PORTICO_DATA_DIR:-.portico}/dev.json. Run npm start first; if you gave it a PORTICO_DATA_DIR, export it here too." >&2
  return 1
fi

eval "$(node -p '
  const dev = JSON.parse(fs.readFileSync(`${process.env.PORTICO_DATA_DIR || ".portico"}/dev.json`, "utf8"))
  const [acme] = dev.tenants
  const variables = {
    CUSTOMER_URL: dev.customer_url,
    OPERATOR_URL: dev.operator_url,
    AGENT_URL: dev.agent_url,
    AUTH_URL: dev.auth_url,
    CLOUD_URL: dev.cloud_url,
    S3_URL: dev.s3_url,
    OPERATOR: dev.operator.token,
    OWNER: acme.tokens.owner,
    TOKEN: acme.tokens.tier2,
    PROJECT_ID: acme.project_id
  }
  Object.entries(variables).map(([name, value]) => `${name}="${value}"`).join("\n")
')"

# With PORTICO_TLS=true: the authority that curl has to trust.
CURL_CA_BUNDLE=$(node -p 'JSON.parse(fs.readFileSync(`${process.env.PORTICO_DATA_DIR || ".portico"}/dev.json`, "utf8")).ca_file ?? ""')
[ -z "$CURL_CA_BUNDLE" ] && unset CURL_CA_BUNDLE || export CURL_CA_BUNDLE
