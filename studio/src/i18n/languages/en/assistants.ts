/** Words of assistants: how they are connected, which are, and what their tools answer. */
export const assistants = {
  assistants: {
    title: "Connect an assistant",
    text:
      "An assistant works with your data over the Model Context Protocol (MCP): in your name, and within what " +
      "you let it do.",
    address: "Address", address_for: "Address for %{client}", configuration: "Configuration",
    configuration_of: "Configuration of %{client}",
    with_key: "With an API key instead", to_keys: "Open API keys",
    without_key: "There is no secret in it: the app opens a page here, where you sign in and choose what it may do.",
    key_text: "Put a key in place of %{placeholder}, and keep the file to yourself. The app may do what the key may.",
    no_key: "%{client} takes no key: it connects by a sign-in.",
    in_terminal: "Run this in a terminal:", in_file: "Put this in the file %{file}:",
    then_claude_code: "Then enter /mcp in Claude Code, choose %{name}, and sign in.",
    then_cursor: "Then open the settings of Cursor, find %{name} among the MCP servers, and sign in.",
    then_vscode: "Then run the command “MCP: List Servers”, start %{name}, and sign in.",
    then_codex: "Then run “codex mcp login %{name}” in a terminal, and sign in.",
    then_gemini: "Then enter “/mcp auth %{name}” in Gemini CLI, and sign in.",
    step_claude_1: "In Claude, open Settings, and there Connectors.",
    step_claude_2: "Choose “Add custom connector”, and enter a name and this address.",
    step_claude_3: "Choose Connect, sign in here, and choose what it may do.",
    step_chatgpt_1:
      "In ChatGPT, open Settings, and there the apps and connectors; switch on the developer mode under the " +
      "advanced settings.",
    step_chatgpt_2: "Create a connector: enter a name and this address, with OAuth.",
    step_chatgpt_3: "Connect it, sign in here, and choose what it may do.",
    from_outside: "%{client} connects over the internet: it has to reach this address by HTTPS.",
    apps: "Connected apps", no_apps: "No app is connected",
    no_apps_text: "Once you let an app in, it is listed here, and you can disconnect it at any time.",
    app: "App", since: "Since", narrowed: "Narrowed", disconnect: "Disconnect", disconnect_title: "Disconnect %{name}?",
    disconnect_text: "It is refused from its next call on. To come back, it has to ask you again.",
    disconnected: "%{name} is disconnected.",
    try: "Try a tool",
    try_text: "See what an assistant gets. The tool runs in your name, over all that you may see and do.",
    no_tools: "There is no tool for you.", tool: "Tool", it_reads: "Reads", it_writes: "Writes",
    it_destroys: "Changes or deletes",
    run: "Run", running: "The tool is running", commas: "Separated by commas.", json: "In JSON.",
    unset: "Not set: the tool decides.", no_integer: "This is no whole number.",
    write_title: "%{tool}: really?",
    write_text:
      "This is no rehearsal: what the tool creates, changes or deletes is really created, changed or " +
      "deleted.",
    answer: "Answer", answered: "The tool has answered.", nothing: "The tool has answered nothing.",
    wrong: "The tool could not do this", refused: "The call was refused: %{message}",
  },
};
