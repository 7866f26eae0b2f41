/** How orval makes the client: functions over fetch, for the service that the environment names. */
export default {
  rowgate: { input: "openapi.json", output: { target: "client.ts", client: "fetch", baseUrl: process.env.ADDRESS } },
};
