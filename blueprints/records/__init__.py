"""The routes of records: those of the catalogue, several in one request, imports and exports."""
