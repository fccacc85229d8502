#include <atomic>
#include <memory>
#include <vector>

#include "bind/batch.hpp"

namespace seqlab::bind {

namespace {

using Asked = std::shared_ptr<std::atomic<bool>>;

// Flags that stop this thread, the innermost last.
thread_local std::vector<Asked> heeded;

// Only this thread runs signal handlers.
unsigned long main_thread = 0;

// A flag that other threads may set to stop work in the core.
struct Flag {
    Asked asked = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace

void ask_python() {
    for (const Asked& asked : heeded)
        if (asked->load()) throw Stopped{};
    if (PyThread_get_thread_ident() != main_thread) return;
    locked([] {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    });
    for (const Asked& asked : heeded)  // set by a signal handler
        if (asked->load()) throw Stopped{};
}

void bind_asking(nb::module_& m) {
    main_thread =
        nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
    nb::exception<Stopped>(m, "Stopped", PyExc_KeyboardInterrupt);
    nb::class_<Flag>(m, "Flag",
                     "While a thread is inside its with block and the flag is set, the core raises Stopped.")
        .def(nb::init<>())
        .def("set", [](const Flag& self) { self.asked->store(true); })
        .def("is_set", [](const Flag& self) { return self.asked->load(); })
        .def("__enter__",
             [](const nb::object& self) {
                 heeded.push_back(nb::cast<const Flag&>(self).asked);
                 return self;
             })
        .def(
            "__exit__",
            [](const Flag&, const nb::object&, const nb::object&, const nb::object&) { heeded.pop_back(); },
            "kind"_a.none(), "error"_a.none(), "trace"_a.none());
}

}  // namespace seqlab::bind
