/** How @hey-api/openapi-ts makes the client: with the extensions that Node asks for. */
export default {
  input: "openapi.json",
  output: { path: "client", module: { extension: ".js" } },
  plugins: ["@hey-api/client-fetch"],
};
