"""The process: gevent, the embedded servers, connections, logs, metrics, rate limits, signals between processes."""
