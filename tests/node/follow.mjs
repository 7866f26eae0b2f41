// Follows notifications with the TypeScript client and prints what comes: node follow.mjs ADDRESS.
import { RowgateError, followNotifications } from "../../clients/typescript/dist/index.js";

const [baseUrl, option] = process.argv.slice(2);

function onReset() {
  console.log("reset");
  if (option === "--break-on-reset") throw new Error("on reset");
}

function token() {
  if (option === "--break-token") throw new Error("token");
  return "any";
}

try {
  for await (const notification of followNotifications({ baseUrl, token }, { onReset }))
    console.log(`notification: ${notification.title}`);
} catch (error) {
  if (error instanceof RowgateError) console.log(`refused: ${error.status}`);
  else console.log(`broken: ${error instanceof SyntaxError ? "JSON" : error.message}`);
}
