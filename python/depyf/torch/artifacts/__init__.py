"""What is dumped, one kind a file. Pure: `wants(event)` says whether a kind takes an event of the trace, and
`render(event, context)` makes files of it; nothing here touches the disk or torch's state."""
