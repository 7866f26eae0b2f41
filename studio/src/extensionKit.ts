/** What components of plugins are made of: React, the building blocks of the studio, and its way to the service. */
import { Alert, Box, Button, Card, CardContent, Chip, Dialog, DialogActions, DialogContent, DialogTitle, Link, Paper, Stack, Tab, Tabs, TextField, Typography } from "@mui/material";
import * as React from "react";
import { useLocale, useNotify, useRedirect, useTranslate } from "react-admin";

import { provider } from "./api/provider";
import { useSentence } from "./api/sentences";
import { useCatalogue, usePerson } from "./catalogue/context";
import { FieldInput } from "./inputs/FieldInput";
import { Page } from "./layout/Page";
import { RecordList } from "./lists/RecordList";
import { ask } from "./session/transport";
import { Value } from "./values/Value";

export const kit = {
  React,
  material: { Alert, Box, Button, Card, CardContent, Chip, Dialog, DialogActions, DialogContent, DialogTitle, Link, Paper, Stack, Tab, Tabs, TextField, Typography },
  components: { FieldInput, Page, RecordList, Value },
  hooks: { useCatalogue, useLocale, useNotify, usePerson, useRedirect, useSentence, useTranslate },
  /** The records of every model. */
  provider,
  /** What a route answers; throws RowgateError. */
  ask,
};

export type Kit = typeof kit;
