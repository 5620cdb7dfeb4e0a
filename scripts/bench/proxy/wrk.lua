-- wrk -s wrk.lua <url> -- <method> <file with the body, or -> <file with a token a line, or ->
-- Ends with one line of JSON, the same that programs/autocannon.ts writes.

local requests, last, at = {}, 0, 0

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

function init(args)
  wrk.method = args[1]
  if args[2] ~= "-" then wrk.body = read(args[2]) end
  if args[3] == "-" then
    requests[1] = wrk.format()
  else
    for token in read(args[3]):gmatch("[^\n]+") do
      wrk.headers["authorization"] = "Bearer " .. token
      requests[#requests + 1] = wrk.format()
    end
  end
  last = #requests
end

function request()
  at = at % last + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format(
    '{"requests":%d,"seconds":%.6f,"p50_ms":%.3f,"p99_ms":%.3f,"failed":%d}\n',
    summary.requests - errors.status,
    summary.duration / 1e6,
    latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3,
    failed
  ))
end
