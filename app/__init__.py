"""The application: engine, domains, runtime and commands. This package imports nothing by itself."""
