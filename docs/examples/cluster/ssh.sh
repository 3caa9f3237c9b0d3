#!/bin/sh
# Builds a flop pack on machines that you reach by SSH. All of them have the same version of Hedgehog installed.
#
#   sh ssh.sh CONFIG.yaml OUT HOST [HOST ...]
#
# Every host gets one worker process for each of WORKERS. The scheduler runs here; the hosts must reach its port.
set -eu
config=$1 out=$2
shift 2
workers=${WORKERS:-8} memory=${MEMORY:-5GB} here=${HERE:-$(hostname)} port=${PORT:-8786}

dask scheduler --host "$here" --port "$port" --dashboard-address 127.0.0.1:8787 &
scheduler=$!
trap 'kill $scheduler' EXIT INT TERM
for host in "$@"; do
    # Workers end when the scheduler has been gone for a minute.
    ssh "$host" "nohup dask worker tcp://$here:$port --nworkers $workers --nthreads 1 --memory-limit $memory \
        --death-timeout 60 >/dev/null 2>&1 &"
done
hedgehog pack build "$config" --out "$out" --dask "tcp://$here:$port"
