/** Words of links that show one record to whoever has them. */
export const sharing = {
  sharing: {
    open: "Share", title: "Links to %{name}", text: "Whoever has a link reads this record and what belongs to it, without an account, until the link ends.",
    make: "Make a link", days: "For", day: "1 day", week: "7 days", month: "30 days", year: "1 year",
    made: "The new link", made_text: "It is shown this once.", none: "No links",
    until: "Until %{when}", uses: "Followed once |||| Followed %{smart_count} times", unused: "Not followed yet", end: "End the link until %{when}", ended: "The link has ended.",
  },
};
