import KettleDashboard
import KettleModel
import Testing

struct BindingsTests {
  @Test func `no key has two bindings in one context`() {
    for context in KeyContext.allCases {
      let keys = Bindings.all.filter { $0.contexts.contains(context) }.flatMap(\.keys)
      #expect(Set(keys).count == keys.count, "\(context)")
    }
  }

  @Test func `every action has a sentence for the help, and but for one a key`() {
    #expect(Bindings.all.count > 80)
    for action in Bindings.all {
      #expect(!action.keys.isEmpty || action.name == "start-fresh", "\(action.name)")
      #expect(!action.help.isEmpty, "\(action.name)")
      #expect(!action.contexts.isEmpty, "\(action.name)")
    }
  }

  /// Models in which this context receives the keys, for each state under the cursor and each link.
  private func models(_ context: KeyContext) -> [Dashboard] {
    var result: [Dashboard] = []
    for row in Sample.rows {
      for isLost in [false, true] {
        var model = Sample.model(columns: 100, rows: 30, showing: [row])
        switch context {
        case .list: break
        case .reader: _ = model.press(.character("?"))
        case .add: _ = model.press(.character("a"), .paste("https://example.org/a"))
        case .entry: _ = model.press(.character("l"))
        case .question: _ = model.press(.character("d"))
        case .command: _ = model.press(.character(":"), .character("p"))
        case .query: _ = model.press(.character("/"), .character("x"))
        case .menu: _ = model.press(.character("o"), .down)
        case .choice: model = Sample.choosing(columns: 100, rows: 30)
        }
        // Not every row can have a limit.
        guard model.keyContext == context else { continue }
        if isLost { _ = model.update(.linkChanged(.lost), at: Sample.now) }
        result.append(model)
      }
    }
    return result
  }

  @Test(arguments: KeyContext.allCases)
  func `the footer shows only keys that have an effect`(context: KeyContext) {
    for model in models(context) {
      for item in model.footerItems {
        let action = Bindings.all.first {
          $0.contexts.contains(context) && $0.keys.first?.name == item.key
        }
        #expect(action.map { model.availability(of: $0.name).isPossible } == true)
      }
    }
  }

  @Test func `the footer labels depend on the row`() {
    func labels(_ state: TransferState) -> [String: String] {
      let model = Sample.model(
        columns: 140, rows: 30, showing: [Sample.row(1, titled: "x", state: state)])
      return Dictionary(uniqueKeysWithValues: model.footerItems.map { ($0.key, $0.label) })
    }
    #expect(labels(.running)["p"] == "pause")
    #expect(labels(.running)["s"] == nil)
    #expect(labels(.paused)["p"] == "resume")
    #expect(labels(.failed)["s"] == "retry")
    #expect(labels(.completed)["p"] == nil)
    #expect(labels(.completed)["D"] == "delete file")
    #expect(labels(.running)["D"] == nil)
  }

  @Test func `pressing an unbound key shows a message`() {
    var model = Sample.model(columns: 80, rows: 24)
    #expect(model.press(.character("e")) == [])
    #expect(model.said == "There is nothing on e here; ? shows the keys")
    #expect(model.press(.alt("s")) == [])
    #expect(model.said == "There is nothing on Alt-s here; ? shows the keys")
  }
}
