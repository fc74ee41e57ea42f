/// A value on the heap, copied when one of its owners changes it while there are others. A copy of
/// what contains it costs one reference, however large the value is.
@propertyWrapper
package struct CopiedOnWrite<Value: Sendable>: Sendable {
  /// Changed only through a `CopiedOnWrite` that is its only owner; no other thread has it then.
  private final class Storage: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  package init(wrappedValue: Value) { storage = Storage(wrappedValue) }

  package var wrappedValue: Value {
    _read { yield storage.value }
    // The value that is replaced need not be copied.
    set {
      if isKnownUniquelyReferenced(&storage) {
        storage.value = newValue
      } else {
        storage = Storage(newValue)
      }
    }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      yield &storage.value
    }
  }

  /// Whether both are the same copy; `false` says nothing about their values.
  func isSameCopy(as other: Self) -> Bool { storage === other.storage }
}
