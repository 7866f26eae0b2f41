/** Programs that use a key, which they read from the environment. */
interface Example {
  /** What the language calls itself. */
  language: string;
  code: (origin: string) => string;
}

const curl = (origin: string) => `# Whose key this is, and what it may do
curl -s "${origin}/api/v1/auth/api-key/self" \\
  -H "Authorization: Bearer $ROWGATE_KEY"

# The deals of at least 1,000, the largest first
curl -s -G "${origin}/api/v1/crm/deal" \\
  -H "Authorization: Bearer $ROWGATE_KEY" \\
  -d "amount[gte]=100000" -d "sort=-amount" -d "take=20"`;

const typescript = (origin: string) => `import { createRowgate } from "@rowgate/client";

// $ROWGATE_KEY
const token = process.env.ROWGATE_KEY!;
const rowgate = createRowgate({ baseUrl: "${origin}", token });

const page = await rowgate.crm.deal.list({ where: { amount: { gte: 100000 } }, sort: ["-amount"], expand: ["company"] });
for (const deal of page.data) console.log(deal.name, deal.company?.name);`;

const python = (origin: string) => `import os

from rowgate_client import AuthenticatedClient
from rowgate_client.models import Rowgate

# $ROWGATE_KEY
rowgate = Rowgate(AuthenticatedClient("${origin}", token=os.environ["ROWGATE_KEY"]))

page = rowgate.crm.deal.list(where={"amount": {"gte": 100000}}, sort=["-amount"], expand=["company"])
for deal in page["data"]:
    print(deal["name"], deal["company"] and deal["company"]["name"])`;

export const EXAMPLES: readonly Example[] = [{ language: "curl", code: curl }, { language: "TypeScript", code: typescript }, { language: "Python", code: python }];
