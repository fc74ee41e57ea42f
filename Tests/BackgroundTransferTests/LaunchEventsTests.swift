import BackgroundTransfer
import Dispatch
import Foundation
import KettleSystem
import Testing

struct LaunchEventsTests {
  @Test func `the session of a launch is reported once`() {
    let events = LaunchEvents(identifier: "books")
    #expect(events.consumeLaunch(for: "films") == false)
    #expect(events.consumeLaunch(for: "books"))
    #expect(events.consumeLaunch(for: "books") == false)
  }

  @Test func `a program that was not launched gets no events`() {
    let events = LaunchEvents(identifier: nil)
    #expect(events.consumeLaunch(for: "") == false)
    events.register { _, _ in Issue.record("it was called") }
    #expect(events.isRegistered == false)
  }

  @Test func `the first registered handler is called on the main queue`() async {
    let events = LaunchEvents(identifier: "books")
    let identifier = await withCheckedContinuation { continuation in
      events.register { identifier, _ in
        MainActor.assertIsolated()
        continuation.resume(returning: identifier)
      }
      events.register { _, _ in Issue.record("the second was called") }
    }
    #expect(identifier == "books")
    #expect(events.isRegistered)
  }

  @Test @MainActor func `the handler counts as running until it returns`() async {
    let events = LaunchEvents(identifier: "books")
    #expect(!events.isCalling(for: "books"))
    let isCallingWithin = Mutex(false)
    events.register { identifier, _ in
      isCallingWithin.withLock { $0 = events.isCalling(for: identifier) }
    }
    // It waits for the main queue, which this test occupies.
    #expect(events.isCalling(for: "books"))
    #expect(!events.isCalling(for: "films"))
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
    #expect(isCallingWithin.withLock { $0 })
    #expect(!events.isCalling(for: "books"))
  }
}
