# Tests that are not GoogleTest programs.

add_test(NAME tidy COMMAND ${CMAKE_SOURCE_DIR}/tools/tidy)
add_test(NAME tidy_test COMMAND ${CMAKE_SOURCE_DIR}/tools/tidy_test.py)
add_test(NAME include_graph COMMAND ${CMAKE_SOURCE_DIR}/tools/include-graph --check)
add_test(NAME planted COMMAND ${CMAKE_SOURCE_DIR}/tools/plant --check)
add_test(NAME man_pages COMMAND ${CMAKE_SOURCE_DIR}/tools/man-pages 0.0 2026-01-01
    ${CMAKE_BINARY_DIR}/man-test)
add_test(NAME plant_test COMMAND ${CMAKE_SOURCE_DIR}/tools/plant_test.py)
add_test(NAME real.harness COMMAND ${CMAKE_SOURCE_DIR}/tests/real/harness_test.py)
add_test(NAME vm.harness COMMAND ${CMAKE_SOURCE_DIR}/tests/vm/harness_test.py)
add_test(NAME kube.harness COMMAND ${CMAKE_SOURCE_DIR}/tests/kube/harness_test.py)
add_test(NAME requests.compare
    COMMAND ${CMAKE_SOURCE_DIR}/tests/conformance/requests/compare_test.py)
add_test(NAME docs.terminal_picture
    COMMAND ${CMAKE_SOURCE_DIR}/tests/docs/terminal_picture_test.py)
set_tests_properties(tidy tidy_test include_graph planted man_pages plant_test real.harness
    vm.harness kube.harness requests.compare docs.terminal_picture
    PROPERTIES LABELS unit TIMEOUT ${ICHOR_TEST_TIMEOUT_S})

# What the documents show: commands, links, and the quick start as it is typed.
add_test(NAME docs.documents
    COMMAND ${CMAKE_SOURCE_DIR}/tests/docs/documents_test.py $<TARGET_FILE:ichor>)
add_test(NAME docs.quick_start
    COMMAND ${CMAKE_SOURCE_DIR}/tests/docs/quick_start_test.py $<TARGET_FILE:ichor>)
add_test(NAME docs.events
    COMMAND ${CMAKE_SOURCE_DIR}/tests/docs/events_test.py $<TARGET_FILE:ichor>)
add_test(NAME docs.profile_reference
    COMMAND ${CMAKE_SOURCE_DIR}/tools/profile-reference $<TARGET_FILE:ichor> --check)
set_tests_properties(docs.documents docs.quick_start docs.events docs.profile_reference
    PROPERTIES LABELS lab TIMEOUT 900)

# The whole program on the embedded lab, over real sockets.
add_test(NAME lab.up
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/up_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/reference/ichor.yaml)

add_test(NAME lab.kill
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/kill_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/reference/ichor.yaml)
add_test(NAME lab.config_dir
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/config_dir_test.py $<TARGET_FILE:ichor>)
add_test(NAME lab.layouts
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/layouts_test.py $<TARGET_FILE:ichor>)
add_test(NAME lab.clusters
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/clusters_test.py $<TARGET_FILE:ichor>)
add_test(NAME lab.walk
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/walk_test.py $<TARGET_FILE:ichor>)
add_test(NAME lab.flags
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/flags_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/reference/ichor.yaml)
add_test(NAME lab.attacks
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/attacks_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/reference/ichor.yaml)
add_test(NAME lab.canary
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/canary_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/reference/ichor.yaml)
add_test(NAME lab.rivals
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/rivals_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/reference/ichor.yaml)
add_test(NAME lab.reset
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/reset_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/reference/ichor.yaml)
add_test(NAME lab.etcd
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/etcd_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/reference/ichor.yaml)
add_test(NAME lab.restore
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/restore_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/reference/ichor.yaml)
add_test(NAME lab.drift
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/drift_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/reference/ichor.yaml)
add_test(NAME lab.node
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/node_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/reference/ichor.yaml)
add_test(NAME lab.upgrade
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/upgrade_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/reference/ichor.yaml)
add_test(NAME lab.upgrade_k8s
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/upgrade_k8s_test.py $<TARGET_FILE:ichor>)
add_test(NAME lab.runs
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/runs_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/reference/ichor.yaml)
add_test(NAME lab.kubernetes
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/kubernetes_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/reference/ichor.yaml)
add_test(NAME lab.proxmox
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/proxmox_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/proxmox/ichor.yaml)
add_test(NAME lab.proxmox_others
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/proxmox_others_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/proxmox/ichor.yaml)
add_test(NAME lab.readers
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/readers_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/reference/ichor.yaml)
add_test(NAME lab.serve
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/serve_test.py $<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/examples/reference/ichor.yaml)
add_test(NAME lab.findings
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/findings_test.py $<TARGET_FILE:ichor>)
# In network namespaces of its own; without root it is skipped.
add_test(NAME lab.scan
    COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/scan_test.py $<TARGET_FILE:ichor>)
set_tests_properties(lab.scan PROPERTIES SKIP_RETURN_CODE 77)
# A few cases of the process tier; `make process` runs them all. Without root they are skipped.
add_test(NAME lab.process
    COMMAND ${CMAKE_COMMAND} -E env ICHOR=$<TARGET_FILE:ichor>
            ${CMAKE_SOURCE_DIR}/tests/process/run bootstrap_reply_lost bits_flip good_cable)
set_tests_properties(lab.process PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(lab.process lab.scan lab.up lab.kill lab.config_dir lab.clusters lab.layouts
    lab.flags lab.canary lab.proxmox lab.reset lab.etcd lab.restore
    lab.drift lab.node lab.upgrade lab.upgrade_k8s lab.runs lab.kubernetes lab.readers
    lab.walk lab.attacks lab.rivals lab.findings lab.serve
    PROPERTIES LABELS lab TIMEOUT 900)

# The whole program against something hostile: nodes, an API server, a repository.
foreach(name nodes api repository)
    add_test(NAME attack.${name}
        COMMAND ${CMAKE_SOURCE_DIR}/tests/attack/${name}_test.py $<TARGET_FILE:ichor>)
    set_tests_properties(attack.${name} PROPERTIES LABELS attack TIMEOUT 600)
endforeach()

# The Kubernetes phases on a real control plane. Without the programs of tools/real-tools they are
# skipped; `make test` leaves them out, because they take minutes.
foreach(name Bed BedAndHelm Handover HandoverByReleases HandoverByReleasesAndHelm4 UpAgain
        GitOpsTrouble SecretsTrouble OwnedByAnother AWebhook ACrd ANodeWithoutCilium
        ADnsServerThatIsAway CiliumStatusOfAPlayedProgram
        AnApiServerThatRestarts KubeletServingRequests WaitForObjects WaitingIsCheap)
    add_test(NAME kube.${name} COMMAND ${CMAKE_SOURCE_DIR}/tests/kube/run_tests ${name})
    set_tests_properties(kube.${name} PROPERTIES LABELS kube TIMEOUT 1200 RUN_SERIAL ON
        SKIP_RETURN_CODE 77 ENVIRONMENT ICHOR=$<TARGET_FILE:ichor>)
endforeach()
