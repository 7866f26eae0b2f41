/** Words of knowledge bases: what is in them, and how they are searched. */
export const knowledge = {
  knowledge: {
    search: "Search", question: "Question", nothing: "Nothing was found.", page: "Page %{page}",
    mode_hybrid: "By both", mode_vector: "By meaning", mode_keyword: "By words",
    by_words: "Words: no. %{rank}, %{score}", by_meaning: "Meaning: no. %{rank}, %{score}",
    degraded: "The embedder did not answer in time: words alone decided.",
    progress: "%{embedded} of %{all} passages have a vector.", no_model: "This knowledge base has no vectors: it is searched by words.",
    to_sources: "Add documents", sources: "Documents", no_sources: "Nothing is in this knowledge base.", add: "Add files", add_text: "Or drop them here: PDF, Word, PowerPoint, Excel, e-mail, web pages, text.",
    labels: "Labels of the documents", operators: "\"A phrase\" has to be there, -words must not; harb* is any word so begun.",
    entering: "%{done} of %{all} files are sent.", passages: "Passages", of: "%{embedded} of %{all} ready", open: "Open the document", more: "More passages",
  },
};
