/** What the pages of a knowledge base read, and how files enter it. */
import type { Row } from "@rowgate/client/react-admin";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useGetOne, useTranslate } from "react-admin";

import { dataProvider, provider } from "../api/provider";
import { Refusal, useSentence } from "../api/sentences";
import { useTrail } from "../layout/Page";
import { useRenewal } from "../organizations/queries";

export const INDEX = "ai-rag/index";
export const DOCUMENT = "ai-rag/document";
const CHUNK = "ai-rag/chunk";
const UPLOAD = "storage/upload";
/** Documents that are shown, and passages that are read at once. */
export const MOST = 200;
const PORTION = 50;
const MAX_TITLE = 300;
/** Milliseconds between two looks at documents that are being worked on: how far they are is no change of theirs. */
const WORKED_ON = 1500;

export type Document = Row & {
  title: string;
  status: "pending" | "processing" | "indexed" | "failed";
  chunkCount: number;
  embeddedCount: number;
  errorMessage: string | null;
  createdAt: string;
};

export interface Place {
  heading: string | null;
  page: number | null;
}

type Chunk = Row & Place & { position: number; content: string };

/** The knowledge base of a page, and the way back to it. */
export function useIndex(id: string) {
  const translate = useTranslate();
  const { data: index } = useGetOne(INDEX, { id }, { refetchInterval: ({ state }) => (state.data?.embeddingModel && state.data.embeddedCount < state.data.chunkCount ? WORKED_ON : false) });
  const trail = [...useTrail(INDEX), { title: index ? String(index.name) : translate("studio.list.loading"), to: `/${INDEX}/${id}/show` }];
  return { index, trail };
}

const isAtWork = ({ status, chunkCount, embeddedCount }: Document, hasModel: boolean) =>
  status === "pending" || status === "processing" || (status === "indexed" && hasModel && embeddedCount < chunkCount);

/** The documents of a knowledge base, the newest first. */
export function useDocuments(indexId: string, hasModel: boolean) {
  return useQuery({
    queryKey: [DOCUMENT, "sources", indexId],
    queryFn: async ({ signal }) => (await provider.getList(DOCUMENT, { filter: { indexId }, pagination: { page: 1, perPage: MOST }, meta: { sort: ["-createdAt"], count: "none" }, signal })).data as Document[],
    refetchInterval: ({ state }) => (state.data?.some((each) => isAtWork(each, hasModel)) ? WORKED_ON : false),
    placeholderData: keepPreviousData,
  });
}

/** A document that an address names. */
export function useDocument(id: string | null): Document | undefined {
  return useGetOne(DOCUMENT, { id: id ?? "" }, { enabled: id !== null }).data as Document | undefined;
}

/** Says where a passage stands. */
export function usePlace() {
  const translate = useTranslate();
  return ({ heading, page }: Place) => [heading, page && translate("studio.knowledge.page", { page })].filter(Boolean).join(" · ");
}

/** The passages that a document was cut into, in its order; read again as their number changes, since they have no news. */
export function useChunks(documentId: string, count: number) {
  return useInfiniteQuery({
    queryKey: [CHUNK, "sources", documentId, count],
    queryFn: async ({ pageParam, signal }) => (await provider.getList(CHUNK, { filter: { documentId }, pagination: { page: pageParam, perPage: PORTION }, meta: { sort: ["position"], count: "none" }, signal })).data as Chunk[],
    initialPageParam: 1,
    getNextPageParam: (last, pages) => (last.length === PORTION ? pages.length + 1 : undefined),
  });
}

export interface Entering {
  done: number;
  all: number;
}

/** What became of a file that did not enter. */
export interface Fault {
  name: string;
  reason: string;
}

/** Enter files into a knowledge base, one after the other. */
export function useEntry(indexId: string) {
  const sentence = useSentence();
  const renew = useRenewal([DOCUMENT, UPLOAD]);
  const [entering, setEntering] = useState<Entering>();
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const enter = async (files: readonly File[]) => {
    const failed: Fault[] = [];
    setFaults(failed);
    for (const [done, file] of files.entries()) {
      setEntering({ done, all: files.length });
      await entered(indexId, file).catch((error: unknown) => failed.push({ name: file.name, reason: sentence(error) }));
      await renew();
    }
    setEntering(undefined);
    setFaults(failed);
  };
  return { entering, faults, enter };
}

async function entered(indexId: string, file: File): Promise<void> {
  if (file.size === 0) throw new Refusal("studio.input.file_empty");
  const { data: upload } = await dataProvider.create(UPLOAD, { data: { contentBase64: file, filename: file.name } });
  try {
    await provider.create(DOCUMENT, { data: { indexId, title: file.name.slice(0, MAX_TITLE), sourceType: "upload", uploadId: upload.id } });
  } catch (error) {
    await provider.delete(UPLOAD, { id: String(upload.id) });
    throw error;
  }
}
