"""Operating the service: backup and restore, sample data, the data dictionary."""
