#!/bin/sh
# Tests of the interactive map drive a browser. Installs Debian's chromium where there is none and it may be installed;
# otherwise says what to do. Never fails: tests without a browser are skipped, and fail where CI=true.
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" >/dev/null && exit 0
done

as_root=""
if [ "$(id -u)" -eq 0 ]; then
    as_root="env"
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n env"
fi
if [ -n "$as_root" ] && command -v apt-get >/dev/null; then
    echo "installing chromium for tests of the interactive map ..."
    apt="$as_root DEBIAN_FRONTEND=noninteractive apt-get"
    { $apt install -qq -y chromium || { $apt update -qq && $apt install -qq -y chromium; }; } >/dev/null && exit 0
fi
echo "There is no browser for tests of the interactive map. Install chromium (on Debian: apt-get install chromium)" \
    "or Google Chrome, so that the command chromium or google-chrome is found." >&2
