/** Where everybody begins: first steps while there is nothing, figures of what there is, what was seen last, and every model. */
import { Box, Card, CardActionArea, CardContent, Link, Paper, Typography } from "@mui/material";
import { type ReactNode, useId } from "react";
import { useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { nameOf } from "../catalogue/catalogue";
import { useCatalogue, usePerson } from "../catalogue/context";
import { PanelCard, Panels } from "../dashboards/PanelCard";
import { usualPanels } from "../dashboards/panels";
import { FirstSteps } from "./FirstSteps";
import { Page } from "./Page";
import { recent } from "./recent";

export function HomePage() {
  const translate = useTranslate();
  const catalogue = useCatalogue();
  const person = usePerson();
  const seen = recent().filter(({ resource }) => catalogue.get(resource)?.operations.read);
  const domains = catalogue.domains.map(({ name, models }) => ({ name, models: models.filter(({ operations }) => operations.list) })).filter(({ models }) => models.length > 0);
  const panels = usualPanels(catalogue, translate);
  return (
    <Page title={translate("studio.home.welcome", { name: person.name })}>
      <FirstSteps />
      {seen.length > 0 && (
        <Part title="studio.home.recent">
          <Box sx={{ display: "grid", gridTemplateColumns: "repeat(auto-fill, minmax(200px, 1fr))", gap: 1 }}>
            {seen.slice(0, 6).map(({ resource, id, label }) => (
              <Card key={id} variant="outlined">
                <CardActionArea component={RouterLink} to={`/${resource}/${id}/show`} sx={{ height: "100%" }}>
                  <CardContent sx={{ py: 1 }}>
                    <Typography variant="caption" color="text.secondary">{translate(`resources.${resource}.name`, { smart_count: 1 })}</Typography>
                    <Typography variant="body2" noWrap>{label}</Typography>
                  </CardContent>
                </CardActionArea>
              </Card>
            ))}
          </Box>
        </Part>
      )}
      {panels.length > 0 && (
        <Part title="studio.home.figures">
          <Panels>{panels.map((panel) => <PanelCard key={panel.id} panel={panel} />)}</Panels>
        </Part>
      )}
      <Part title="studio.home.all">
        <Paper variant="outlined" sx={{ p: 2, columns: "220px", columnGap: 3 }}>
          {domains.map((domain) => (
            <Box key={domain.name} sx={{ breakInside: "avoid", pb: 1.5 }}>
              <Typography component="h3" variant="subtitle2">{translate(`domain.${domain.name}`)}</Typography>
              <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0 }}>
                {domain.models.map((model) => (
                  <Box component="li" key={model.name} sx={{ py: 0.25 }}><Link component={RouterLink} variant="body2" to={`/${nameOf(model)}`}>{translate(`resources.${nameOf(model)}.name`, { smart_count: 2 })}</Link></Box>
                ))}
              </Box>
            </Box>
          ))}
        </Paper>
      </Part>
    </Page>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const translate = useTranslate();
  const id = useId();
  return (
    <Box component="section" aria-labelledby={id} sx={{ mb: 3 }}>
      <Typography id={id} component="h2" variant="h6" sx={{ mb: 1 }}>{translate(title)}</Typography>
      {children}
    </Box>
  );
}
