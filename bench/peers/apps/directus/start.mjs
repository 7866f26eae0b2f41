// As many processes of Directus as WORKERS says on one port, which is what its documentation uses PM2 for.
import cluster from 'node:cluster';

if (cluster.isPrimary) {
  for (let started = 0; started < Number(process.env.WORKERS); started += 1) cluster.fork();
  process.on('SIGTERM', () => process.exit(0));
} else {
  const { startServer } = await import(`${process.env.MODULES}/@directus/api/dist/server.js`);
  await startServer();
}
