const ui = document.getElementById("ui");

SwaggerUIBundle({
  domNode: ui,
  url: ui.dataset.description,
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  persistAuthorization: true,
  defaultModelsExpandDepth: 0,
});
