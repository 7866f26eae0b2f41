// A certified OpenID provider in the shape of Google or Microsoft, for the sign-in tests.
// Arguments: port, shape, redirect URI. Who signs in next is set with POST /account; GET /healthz says it is up.
import { createServer } from "node:http";

const { Provider } = await import(`${process.env.NODE_MODULES}/oidc-provider/lib/index.js`);
const [port, shape, redirectUri] = process.argv.slice(2);
const host = `http://127.0.0.1:${port}`;
const tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47";
const issuer = shape === "microsoft" ? `${host}/${tenant}/v2.0` : host;
let account = {};

const provider = new Provider(issuer, {
  clients: [{ client_id: "rowgate", client_secret: "client-secret", redirect_uris: [redirectUri] }],
  pkce: { required: () => true },
  conformIdTokenClaims: false,
  claims: {
    openid: ["sub", "tid", "oid", "xms_edov"],
    email: ["email", "email_verified"],
    profile: ["name", "picture", "preferred_username"],
  },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, interaction) => `${prefix()}/interaction/${interaction.uid}` },
  findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...account, sub }) }),
  async loadExistingGrant(ctx) {
    const { client, session } = ctx.oidc;
    const grant = new ctx.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope("openid email profile");
    await grant.save();
    return grant;
  },
});

provider.use(async (ctx, next) => {
  if (ctx.path.startsWith("/interaction/")) {
    await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: account.sub, remember: false } });
    ctx.respond = false;
    return;
  }
  await next();
  // With several tenants the document names no issuer, only how to make one.
  if (shape === "microsoft" && ctx.path.endsWith("/openid-configuration")) {
    ctx.body = { ...ctx.body, issuer: `${host}/{tenantid}/v2.0` };
  }
});

function prefix() {
  return shape === "microsoft" ? "/common/v2.0" : "";
}

const serve = provider.callback();
createServer((request, response) => {
  if (request.url === "/healthz") return response.end("ok");
  if (request.url === "/account") {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      account = JSON.parse(body);
      response.end("ok");
    });
    return undefined;
  }
  request.originalUrl = request.url;
  request.url = request.url.replace(new RegExp(`^/(common|${tenant})/v2\\.0`), "") || "/";
  return serve(request, response);
}).listen(Number(port), "127.0.0.1");
