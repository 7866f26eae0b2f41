"""The runtime: gevent, embedded servers, connections, logs, metrics, rate limits and pubsub."""
