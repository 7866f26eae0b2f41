/** The dashboards of somebody, and those that are shared with them. */
import AddIcon from "@mui/icons-material/AddOutlined";
import { Box, Button, Card, CardActionArea, CardContent, Typography } from "@mui/material";
import { useNotify, useTranslate } from "react-admin";
import { Link, useNavigate } from "react-router-dom";

import { useSentence } from "../api/sentences";
import { useCatalogue } from "../catalogue/context";
import { Nothing } from "../design/Nothing";
import { Section } from "../design/Section";
import { Page } from "../layout/Page";
import { useDashboards, useKeeping } from "./kept";
import { usualPanels } from "./panels";

export default function DashboardsPage() {
  const translate = useTranslate();
  const notify = useNotify();
  const sentence = useSentence();
  const navigate = useNavigate();
  const catalogue = useCatalogue();
  const query = useDashboards();
  const { make } = useKeeping();
  const begin = async () => {
    try {
      const { id } = await make({ name: translate("studio.dashboards.new_name"), definition: { panels: usualPanels(catalogue, translate) } });
      await navigate(`/dashboards/${id}`);
    } catch (error) {
      notify(sentence(error), { type: "error" });
    }
  };
  const add = <Button variant="contained" startIcon={<AddIcon />} onClick={() => void begin()}>{translate("studio.dashboards.make")}</Button>;
  return (
    <Page title={translate("studio.dashboards.title")} actions={query.data?.length ? add : undefined}>
      <Section query={query}>
        {query.data?.length === 0 && <Nothing title={translate("studio.dashboards.none")} text={translate("studio.dashboards.none_text")}><Box sx={{ mt: 2 }}>{add}</Box></Nothing>}
        <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0, display: "grid", gridTemplateColumns: "repeat(auto-fill, minmax(240px, 1fr))", gap: 2 }}>
          {query.data?.map(({ id, name, shared, own, definition }) => (
            <Card key={id} variant="outlined" component="li">
              <CardActionArea component={Link} to={`/dashboards/${id}`} sx={{ height: "100%" }}>
                <CardContent>
                  <Typography component="h2" variant="subtitle1" noWrap>{name}</Typography>
                  <Typography variant="body2" color="text.secondary">
                    {[translate("studio.dashboards.panels", { smart_count: definition.panels?.length ?? 0 }), shared ? translate(own ? "studio.dashboards.shared" : "studio.dashboards.of_others") : ""].filter(Boolean).join(" · ")}
                  </Typography>
                </CardContent>
              </CardActionArea>
            </Card>
          ))}
        </Box>
      </Section>
    </Page>
  );
}
