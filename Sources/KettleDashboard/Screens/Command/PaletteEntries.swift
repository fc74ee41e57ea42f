import KettleModel

/// Everything that the palette lists.
enum PaletteEntries {
  /// - Parameter recent: The latest command last.
  static func all(
    of vocabulary: CommandVocabulary, keymap: Keymap, queues: [QueueName], recent: [String]
  ) -> [PaletteEntry] {
    let fixed =
      actions(keymap) + states + sorting + groups + columns + limits + queueEntries(queues)
      + themes(vocabulary.themes) + vocabulary.settings.map(entry)
    var seen: Set<TypedCommand> = []
    let repeated = recent.reversed().compactMap { again($0, vocabulary, among: fixed) }
    return (repeated + fixed).filter { seen.insert($0.work).inserted }
  }

  private static func again(
    _ text: String, _ vocabulary: CommandVocabulary, among entries: [PaletteEntry]
  ) -> PaletteEntry? {
    // A command of which the words no longer mean anything is left out.
    guard case .success(let work) = TypedCommand.parse(text, vocabulary) else { return nil }
    if let known = entries.first(where: { $0.work == work }) { return known }
    return PaletteEntry(text, meaning: Strings.again, work: work)
  }

  private static func actions(_ keymap: Keymap) -> [PaletteEntry] {
    keymap.actions.filter { $0.contexts.contains(.list) && $0.name != "command" }.map { action in
      PaletteEntry(
        action.name, key: action.keys.first?.name ?? "", meaning: action.help,
        work: .action(action.name), otherWords: CommandVocabulary.otherWords[action.name] ?? [],
        takesWords: action.name == "limit" || action.name == "add" || action.name == "filter")
    }
  }

  private static let states: [PaletteEntry] = TransferState.allCases.map { state in
    let word = Strings.countWord(state)
    return PaletteEntry(
      "filter state:" + word, meaning: Strings.showsOnly(word),
      work: .list(.filter("state:" + word)), otherWords: ["show " + word, "only " + word])
  }

  private static let sorting: [PaletteEntry] = RowSort.Key.ofMenu.map { key in
    PaletteEntry(
      "sort " + key.name, meaning: Strings.sorts(by: key.name), work: .list(.sort(by: key)))
  }

  private static let groups: [PaletteEntry] = CommandVocabulary.groupings.map { name, grouping in
    PaletteEntry(
      "group " + name, meaning: Strings.groups(grouping), work: .list(.group(grouping)))
  }

  private static let columns: [PaletteEntry] = TableColumn.canBeHidden.map { column in
    let name = CommandVocabulary.name(of: column)
    return PaletteEntry(
      "column " + name, meaning: Strings.togglesColumn(name), work: .list(.toggleColumn(column)),
      otherWords: ["hide " + name, "show " + name])
  }

  private static let limits: [PaletteEntry] = [
    PaletteEntry(
      "limit none --all", meaning: Strings.liftsLimit, work: .service(.limit(.all, nil)),
      otherWords: ["unlimited", "full speed"])
  ]

  private static func queueEntries(_ queues: [QueueName]) -> [PaletteEntry] {
    let new = PaletteEntry(
      "queue", meaning: Strings.makesQueue, work: .unfinished("queue"),
      otherWords: ["new queue", "make queue", "night", "hours"], takesWords: true)
    return [new]
      + queues.map { queue in
        PaletteEntry(
          "queue " + queue.text, meaning: Strings.movesTo(queue), work: .queue(queue),
          otherWords: ["move to queue " + queue.text])
      }
  }

  private static func entry(_ setting: SettingName) -> PaletteEntry {
    PaletteEntry(
      "config set " + setting.key, meaning: setting.meaning,
      work: .unfinished("config set " + setting.key),
      otherWords: ["setting " + setting.key], takesWords: true)
  }

  private static func themes(_ names: [String]) -> [PaletteEntry] {
    ([nil] + names.map(Optional.some)).map { name in
      let shown = name ?? CommandVocabulary.configuredTheme
      return PaletteEntry(
        "theme " + shown.sanitizedForDisplay(limit: 40),
        meaning: Strings.usesTheme(name), work: .theme(name), otherWords: ["colors " + shown])
    }
  }
}
