/** Files as tables: CSV in any encoding, JSON, NDJSON, and the first sheet of a spreadsheet. */
import { Refusal } from "../api/sentences";
import { type Encoding, encodingOf, textOf } from "./encodings";

export type Cells = Record<string, unknown>;

export interface Sheet {
  name: string;
  columns: readonly string[];
  rows: readonly Cells[];
  /** Whether all cells are texts, whatever they mean. */
  isText: boolean;
  /** Of what is text itself; a spreadsheet has none. */
  encoding?: Encoding;
}

const SPREADSHEET = /\.xlsx$/i;
const OBJECTS = /\.(json|ndjson|jsonl)$/i;
const OLD_SPREADSHEET = /\.(xls|ods|numbers)$/i;

/** Read a file, in the encoding that was found in it unless another is named; throws Refusal, and SyntaxError. */
export async function readSheet(file: File, encoding?: Encoding): Promise<Sheet> {
  if (OLD_SPREADSHEET.test(file.name)) throw new Refusal("studio.transfer.old_spreadsheet");
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (SPREADSHEET.test(file.name)) return ofSpreadsheet(file.name, bytes);
  const known = encoding ?? encodingOf(bytes);
  const text = textOf(bytes, known);
  const read = OBJECTS.test(file.name) || file.type.includes("json") ? ofObjects(objects(text)) : await ofText(text);
  return { name: file.name, encoding: known, ...read };
}

/** CSV, whatever parts its cells. */
async function ofText(text: string): Promise<Omit<Sheet, "name">> {
  const { default: Papa } = await import("papaparse");
  const { data, meta, errors } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: "greedy" });
  // What is read in spite of these is not what the file says.
  const broken = errors.find(({ type, code }) => type === "Quotes" || code === "TooManyFields");
  if (broken) throw new Refusal("studio.transfer.broken", { row: (broken.row ?? 0) + (broken.type === "Quotes" ? 1 : 2) });
  return { columns: meta.fields ?? [], rows: data, isText: true };
}

async function ofSpreadsheet(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Sheet> {
  const { default: readSheets } = await import("read-excel-file/universal");
  const sheets = await readSheets(bytes.buffer).catch(() => {
    throw new Refusal("studio.transfer.no_spreadsheet");
  });
  const filled = sheets.map(({ data }) => data.filter((row) => row.some((cell) => cell !== null))).find((rows) => rows.length > 0);
  const [header = [], ...rows] = filled ?? [];
  const columns = distinct(header.map(written));
  return { name, columns, rows: rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, written(row[at])]))), isText: true };
}

/** A cell of a spreadsheet as text. Its days and times have no zone: they are read as if they were of UTC. */
function written(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  if (!(cell instanceof Date)) return String(cell as string | number | boolean).trim();
  const moment = cell.toISOString();
  return moment.endsWith("T00:00:00.000Z") ? moment.slice(0, 10) : moment.slice(0, 19).replace("T", " ");
}

/** The names of columns; those without one, and those that were there already, are told apart by their number. */
function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name, at) => {
    const own = name === "" || taken.has(name) ? `${name || "#"} ${at + 1}` : name;
    taken.add(own);
    return own;
  });
}

function objects(text: string): Cells[] {
  const given: unknown = text.trimStart().startsWith("[") ? JSON.parse(text) : text.split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line) as unknown);
  const isObject = (each: unknown): each is Cells => typeof each === "object" && each !== null && !Array.isArray(each);
  if (!Array.isArray(given) || !given.every(isObject)) throw new Refusal("studio.transfer.no_objects");
  return given;
}

const ofObjects = (rows: Cells[]): Omit<Sheet, "name"> => ({ columns: [...new Set(rows.flatMap((row) => Object.keys(row)))], rows, isText: false });
