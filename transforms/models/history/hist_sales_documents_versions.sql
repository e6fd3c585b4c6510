{{ new_versions(ref('sales_documents'), ['shop_id', 'effect_key'], gone=true,
    changed='int_changed_figures', changed_key=document_key()) }}
