#!/usr/bin/env bash
# Runs test files against a real assistant: trains it with open-source Rasa 3.6, without any download of models, starts its server,
# and looks at what `agentassert test` makes of it. Needs Python 3.10, for Rasa, and `python` with this library; takes some minutes.
# RASA_VENV names a virtual environment to keep and use again.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
venv=${RASA_VENV:-$work/venv}
port=${RASA_PORT:-5905}
actions=5955 # where bot/endpoints.yml says that actions are
server=
secret=for-this-run-alone-and-of-the-length-that-is-asked-for
export RASA_TELEMETRY_ENABLED=false AGENTASSERT_RASA_TOKEN=only-for-this-run
trap 'if [ -n "$server" ]; then kill "$server"; wait "$server" || true; fi; rm -rf "$work"' EXIT

find_python() {
    local candidate
    for candidate in "$(command -v python3.10)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.10.*/bin/python; do
        if "$candidate" -c '' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo 'no Python 3.10, which Rasa 3.6 needs' >&2
    return 1
}

# A JSON Web Token for somebody who may read every conversation.
json_web_token() {
    python - "$1" <<'PYTHON'
import base64, hashlib, hmac, json, sys

def encoded(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=")

parts = {"alg": "HS256", "typ": "JWT"}, {"user": {"username": "tester", "role": "admin"}}
signed = b".".join(encoded(json.dumps(part).encode()) for part in parts)
print((signed + b"." + encoded(hmac.digest(sys.argv[1].encode(), signed, hashlib.sha256))).decode())
PYTHON
}

# What the program exits with and says: CODE WORDS ARGUMENTS...
expect() {
    local code=0 said
    said=$(python -m agentassert test "${@:3}" 2>&1) || code=$?
    printf '%s\n' "$said"
    if [ "$code" != "$1" ] || [[ $said != *"$2"* ]]; then
        echo "expected exit code $1 with '$2', but it was $code" >&2
        return 1
    fi
}

if [ ! -x "$venv/bin/rasa" ]; then
    python310=$(find_python)
    "$python310" -m venv "$venv"
    "$venv/bin/pip" install -q uv # pip alone takes many minutes to resolve what Rasa depends on
    "$venv/bin/uv" pip install -q --python "$venv/bin/python" rasa==3.6.21
fi

cp -r "$here/bot" "$work/bot"
cd "$work/bot"
"$venv/bin/rasa" train --skip-validation --out models --fixed-model-name ferries >"$work/train.log" 2>&1 || { tail -n 40 "$work/train.log"; exit 1; }
"$venv/bin/rasa" run --enable-api -i 127.0.0.1 -p "$port" -m models/ferries.tar.gz --endpoints endpoints.yml --credentials credentials.yml \
    --auth-token "$AGENTASSERT_RASA_TOKEN" --jwt-secret "$secret" --jwt-method HS256 >"$work/server.log" 2>&1 &
server=$!
for _ in $(seq 600); do # a machine with other work takes minutes to start it
    if grep -q 'Rasa server is up and running' "$work/server.log"; then break; fi
    kill -0 "$server" || { tail -n 40 "$work/server.log"; exit 1; }
    sleep 1
done
grep -q 'Rasa server is up and running' "$work/server.log" || { tail -n 40 "$work/server.log"; exit 1; }

cd "$here/../.."
url=http://localhost:$port
export PYTHONPATH=$PWD
expect 0 '4 passed' tests/rasa_server/e2e.yml --rasa "$url" --rasa-actions "$actions" --pitfalls fail
expect 1 "to have set the slot 'crossing'" tests/rasa_server/e2e_wrong.yml --rasa "$url"
AGENTASSERT_RASA_TOKEN='' AGENTASSERT_RASA_JWT=$(json_web_token "$secret") expect 0 '1 passed' \
    "tests/rasa_server/e2e.yml::the session starts with the fixture" --rasa "$url" --rasa-actions server
AGENTASSERT_RASA_TOKEN='' AGENTASSERT_RASA_JWT=$(json_web_token wrong) expect 2 'a token was refused' tests/rasa_server/e2e_wrong.yml --rasa "$url"
AGENTASSERT_RASA_TOKEN='' expect 2 'a token is needed' tests/rasa_server/e2e_wrong.yml --rasa "$url"
kill "$server" && wait "$server" || true
server=
expect 2 'cannot be reached' tests/rasa_server/e2e_wrong.yml --rasa "$url"
echo 'Rasa 3.6: as expected'
