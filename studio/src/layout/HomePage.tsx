/** Where everybody begins: what was seen last, and every model. */
import { Box, Button, Card, CardActionArea, CardContent, Link, Paper, Stack, Typography } from "@mui/material";
import { useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { nameOf } from "../catalogue/catalogue";
import { useCatalogue, usePerson } from "../catalogue/context";
import { Page } from "./Page";
import { recent } from "./recent";

export function HomePage() {
  const translate = useTranslate();
  const catalogue = useCatalogue();
  const person = usePerson();
  const seen = recent().filter(({ resource }) => catalogue.get(resource)?.operations.read);
  const domains = catalogue.domains.map(({ name, models }) => ({ name, models: models.filter(({ operations }) => operations.list) })).filter(({ models }) => models.length > 0);
  return (
    <Page title={translate("studio.home.title")}>
      <Typography gutterBottom>{translate("studio.home.welcome", { name: person.name })}</Typography>
      <Stack direction="row" useFlexGap spacing={1} sx={{ mb: 3, flexWrap: "wrap" }}>
        <Button variant="outlined" component={RouterLink} to="/keys/create">{translate("studio.home.key")}</Button>
        {catalogue.get("auth/invitation")?.operations.create && <Button variant="outlined" component={RouterLink} to="/organization/invitations">{translate("studio.home.invite")}</Button>}
      </Stack>
      <Typography component="h2" variant="h6" gutterBottom>{translate("studio.home.recent")}</Typography>
      {seen.length === 0 && <Typography color="text.secondary">{translate("studio.home.recent_none")}</Typography>}
      <Box sx={{ display: "grid", gridTemplateColumns: "repeat(auto-fill, minmax(220px, 1fr))", gap: 1, mb: 3 }}>
        {seen.map(({ resource, id, label }) => (
          <Card key={id} variant="outlined">
            <CardActionArea component={RouterLink} to={`/${resource}/${id}/show`} sx={{ height: "100%" }}>
              <CardContent sx={{ py: 1 }}>
                <Typography variant="body2" color="text.secondary">{translate(`resources.${resource}.name`, { smart_count: 1 })}</Typography>
                <Typography noWrap>{label}</Typography>
              </CardContent>
            </CardActionArea>
          </Card>
        ))}
      </Box>
      <Typography component="h2" variant="h6" gutterBottom>{translate("studio.home.all")}</Typography>
      <Box sx={{ display: "grid", gridTemplateColumns: "repeat(auto-fill, minmax(240px, 1fr))", gap: 1 }}>
        {domains.map((domain) => (
          <Paper key={domain.name} variant="outlined" sx={{ p: 2 }}>
            <Typography component="h3" variant="subtitle1">{translate(`domain.${domain.name}`)}</Typography>
            <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0 }}>
              {domain.models.map((model) => (
                <li key={model.name}><Link component={RouterLink} to={`/${nameOf(model)}`}>{translate(`resources.${nameOf(model)}.name`, { smart_count: 2 })}</Link></li>
              ))}
            </Box>
          </Paper>
        ))}
      </Box>
    </Page>
  );
}
