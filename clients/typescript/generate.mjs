// Writes src/schema.ts and src/models.ts from the description of the API.
import { readFile, writeFile } from "node:fs/promises";

import openapiTS, { COMMENT_HEADER, astToString } from "openapi-typescript";
import ts from "typescript";

import { narrowed, readKeyed, readModels, writeModels } from "./models.mjs";
import { pathToFileURL } from "node:url";

const { factory } = ts;
const BLOB = factory.createTypeReferenceNode("Blob");
const TEXT = factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword);
const FORM = factory.createTypeReferenceNode("FormData");

const isFile = (schema) => schema?.format === "binary";

/** A file is a Blob (or a File, which is one), and a form that holds one may be given as it is. */
function transform(schema) {
  if (isFile(schema)) return BLOB;
  const fields = Object.entries(schema.properties ?? {});
  if (!fields.some(([, field]) => isFile(field))) return undefined;
  const optional = (name) => (schema.required?.includes(name) ? undefined : factory.createToken(ts.SyntaxKind.QuestionToken));
  const members = fields.map(([name, field]) =>
    factory.createPropertySignature(undefined, name, optional(name), isFile(field) ? BLOB : TEXT));
  return factory.createUnionTypeNode([FORM, factory.createTypeLiteralNode(members)]);
}

const described = process.env.DESCRIPTION;
const description = described ? pathToFileURL(described) : new URL("../../docs/openapi.json", import.meta.url);
const read = JSON.parse(await readFile(description, "utf8"));
const types = astToString(await openapiTS(narrowed(read), { transform }));
await writeFile(new URL("src/schema.ts", import.meta.url), COMMENT_HEADER + types);
await writeFile(new URL("src/models.ts", import.meta.url), writeModels(readModels(read), readKeyed(read)));
